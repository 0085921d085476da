// A queue whose count is wrong, a register with any value at first, an asynchronous reset, a memory, a
// module inside, and assertions at the edge.
module pointer (input wire clk, input wire rst_n, input wire go, output reg [1:0] at);
  always @(posedge clk or negedge rst_n)
    if (!rst_n) at <= 0;
    else if (go) at <= at + 1;
endmodule

module queue (
  input  wire       clk,
  input  wire       rst_n,
  input  wire       push,
  input  wire       pop,
  input  wire [3:0] data,
  output wire [3:0] first
);
  reg [3:0] memory [0:3];
  reg [2:0] count;
  reg       begun = 0;
  wire [1:0] head, tail;

  pointer write (.clk(clk), .rst_n(rst_n), .go(push), .at(head));
  pointer read (.clk(clk), .rst_n(rst_n), .go(pop), .at(tail));
  assign first = memory[tail];

  always @(posedge clk) begin
    begun <= 1;
    if (!rst_n) count <= 0;
    else count <= count + push - pop;
    if (push) memory[head] <= data;
  end

  always @(posedge clk)
    if (begun && rst_n) begin
      never_six: assert (count != 6);
      no_nine: assert (!(pop && count == 2 && $signed(first) < -6));
    end
endmodule

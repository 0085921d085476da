// A queue of four bytes.
module fifo (
  input  wire       clk,
  input  wire       reset,
  input  wire       push,
  input  wire       pop,
  input  wire [7:0] data_in,
  output wire [7:0] data_out,
  output wire       full,
  output wire       empty
);
  reg [7:0] memory [0:3];
  reg [1:0] head;
  reg [1:0] tail;
  reg [2:0] count;

  initial begin
    head  = 0;
    tail  = 0;
    count = 0;
  end

  assign full     = count == 4;
  assign empty    = count == 0;
  assign data_out = memory[tail];

  wire do_push = push && !full;
  wire do_pop  = pop && !empty;

  always @(posedge clk) begin
    if (reset) begin
      head  <= 0;
      tail  <= 0;
      count <= 0;
    end else begin
      if (do_push) begin
        memory[head] <= data_in;
        head <= head + 1;
      end
      if (do_pop)
        tail <= tail + 1;
      count <= count + do_push - do_pop;
    end
  end

  always @* begin
    in_range: assert (count <= 4);
    in_step:  assert (head - tail == count[1:0]);
  end
endmodule

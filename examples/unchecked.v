// A queue whose only assertion is about its length: three registers could be anything.
module unchecked(input clk, input push, input pop, input [3:0] d, output [3:0] q);
  reg [2:0] count = 0;
  reg [1:0] head = 0;
  reg [1:0] tail = 0;
  reg [3:0] last = 0;
  wire do_push = push && count < 4;
  wire do_pop = pop && count > 0;
  always @(posedge clk) begin
    count <= count + do_push - do_pop;
    if (do_push) begin
      tail <= tail + 1;
      last <= d;
    end
    if (do_pop) head <= head + 1;
  end
  assign q = last;
  always @(*) assert (count <= 4);
endmodule

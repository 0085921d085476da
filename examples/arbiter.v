// Two clients take turns. The second property is wrong: a client may wait for a step.
module arbiter (
  input  wire       clk,
  input  wire [1:0] request,
  output reg  [1:0] grant
);
  reg turn;

  initial begin
    grant = 0;
    turn  = 0;
  end

  always @(posedge clk) begin
    grant[0] <= request[0] && (!request[1] || !turn);
    grant[1] <= request[1] && (!request[0] || turn);
    if (request == 2'b11)
      turn <= !turn;
  end

  always @* begin
    one_at_a_time: assert (grant != 2'b11);
    at_once:       assert (!request[0] || grant[0]);
  end
endmodule

typedef __int128 wide;
double root(double);
int f(int n) {
  int a[n]; /* an array of variable length is not supported */
  double d; /* floating point is not supported */
  n = 1.5; /* floating point is not supported */
  n = root(2); /* floating point is not supported */
  __asm__("nop"); /* inline assembly is not supported */
  wide w; /* `__int128` is not supported */
  if (n) goto past; /* past its declarations is not supported */
  {
    int x = 1;
    past: n = x;
  }
  switch (n) {
    case 0: { int y = n; n = y; break; }
    {
      int z = 2;
      case 1: n = z; /* past its declarations is not supported */
    }
  }
  if (n) goto same;
  int same_block = 1;
same:
  n += same_block;
again:
  if (n) goto inside; /* into a block */
  while (n) {
    inside: n--;
  }
  goto again; /* to what comes before it is not supported */
  setjmp(0); /* a long jump */
  __sync_fetch_and_add(&n, 1); /* atomic operations */
  __CPROVER_r_ok(&n, 1); /* `__CPROVER_r_ok` is not supported */
  return 0;
}
int main(void) { return f(1); }

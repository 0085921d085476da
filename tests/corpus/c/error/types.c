struct point {
  int x, y;
  int x; /* a field of this name is there already */
};
struct pair { int one, two; };

int f(int a) {
  struct pair p;
  int n = p; /* expected a number or a pointer */
  p.three = 1; /* has no field */
  *a = 3; /* expected a pointer */
  5 = a; /* nothing can be assigned */
  undeclared = 1; /* there is no */
  break; /* is in no loop */
  f(1, 2); /* takes 1 arguments */
  return q; /* there is no */
}
int f(int a) { return a; } /* is defined twice */
int z = f(1); /* not known before a run */
_Static_assert(sizeof(int) == 8, "no"); /* this assertion fails */

int main(void) { return f(0); }

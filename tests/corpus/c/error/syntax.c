int f(void) {
  int x = ; /* expected an expression */
  if (x { x = 1; } /* expected `)` */
  x = 1 + ; /* expected an expression */
  return x
} /* expected `;` */
int g(void) { return 08; } /* is no number */
int main(void) { return 'ab; } /* a quote that has no end */
int end; /* expected `}`, found the end */

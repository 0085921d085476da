/* Old code: implicit functions, parameters without types, and a string. */
add(a, b)
  int a, b;
{
  return a + b;
}

main() {
  char text[] = "sum";
  int total = add(1, 2), *p = &total;
  (*p)++;
  printf("LOG: %s = %d\n", text, later(total));
  __CPROVER_assume(*p > 0);
  assert(total == 4);
  do
    --total;
  while (total > 0 && text[total & 1] != 'x');
  return strlen(text) ? total ?: 1 : 0;
}

int later(x) { return x; }

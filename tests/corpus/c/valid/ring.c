/* A ring buffer with a structure, pointers, an enumeration and a switch. */
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#define SIZE 4
#define NEXT(i) (((i) + 1) % SIZE)

enum command { PUT, GET, CLEAR };
typedef struct ring {
  int slots[SIZE];
  unsigned head : 4, tail : 4;
  bool full;
} ring_t;

int nondet_int(void);
static ring_t ring = { .full = false };

static bool put(ring_t *r, int value) {
  if (r->full)
    return false;
  r->slots[r->tail] = value;
  r->tail = NEXT(r->tail);
  r->full = r->tail == r->head;
  return true;
}

static int get(ring_t *r) {
  int value = r->slots[r->head];
  r->head = NEXT(r->head);
  r->full = false;
  return value;
}

int main(void) {
  ring_t copy;
  int (*reader)(ring_t *) = get;
  for (int i = 0; i < 3; i++) {
    switch ((enum command)nondet_int()) {
    case PUT:
      put(&ring, i);
      break;
    case GET:
      if (ring.head == ring.tail && !ring.full)
        goto done;
      assert(reader(&ring) >= 0);
      break;
    default:
      memset(&ring, 0, sizeof ring);
    }
  }
done:
  copy = ring;
  return copy.full ? 1 : 0;
}

//! Many pieces of work, by some threads.

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};

/// So many are not worth a thread.
const FEW: usize = 64;
/// Each thread gets about so many pieces, so that none waits long for another.
const PIECES: usize = 4;

/// What a thread sends: something's position and what became of it.
pub(crate) type Letter<T, E> = Result<(usize, T), E>;
type Work<'w, S, T, E> =
    dyn Fn(&mut S, Option<usize>, &Sender<Letter<T, E>>) -> Result<(), E> + Sync + 'w;

/// Does so many pieces of work on some threads, each of which starts with something of its own and
/// is told, with no piece, when there are no more; what they send is heard on the caller's.
pub(crate) fn each<S, T: Send, E: Send>(
    jobs: usize,
    pieces: usize,
    start: &(dyn Fn() -> S + Sync),
    work: &Work<'_, S, T, E>,
    hear: &mut dyn FnMut(usize, T),
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let (sender, letters) = channel();
    let mut failed = None;
    std::thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, pieces.max(1)) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                let mut own = start();
                loop {
                    let piece = next.fetch_add(1, Ordering::SeqCst);
                    let piece = Some(piece).filter(|piece| *piece < pieces);
                    if let Err(error) = work(&mut own, piece, &sender) {
                        // An error ends the whole map: the other threads take no further piece.
                        next.store(pieces, Ordering::SeqCst);
                        let _ = sender.send(Err(error));
                    }
                    if piece.is_none() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for letter in letters {
            match letter {
                Ok((at, step)) => hear(at, step),
                Err(error) => failed = Some(error),
            }
        }
    });
    failed.map_or(Ok(()), Err)
}

/// What `work` makes of each item, in their order. Every thread starts with something of its own.
pub(crate) fn map<T: Sync, S, R: Send>(
    jobs: usize,
    items: &[T],
    start: &(dyn Fn() -> S + Sync),
    work: &(dyn Fn(&mut S, &T) -> R + Sync),
) -> Vec<R> {
    if jobs <= 1 || items.len() <= FEW {
        let mut own = start();
        return items.iter().map(|item| work(&mut own, item)).collect();
    }
    let pieces: Vec<&[T]> = items.chunks(items.len().div_ceil(jobs * PIECES)).collect();
    let mut done: Vec<Vec<R>> = pieces.iter().map(|_| Vec::new()).collect();
    let Ok(()) = each::<S, Vec<R>, Infallible>(
        jobs,
        pieces.len(),
        start,
        &|own, piece, sender| {
            if let Some(at) = piece {
                let made = pieces[at].iter().map(|item| work(own, item)).collect();
                // A closed channel means that the caller has ended; the result is dropped.
                let _ = sender.send(Ok((at, made)));
            }
            Ok(())
        },
        &mut |at, made| done[at] = made,
    );
    done.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for count in [0, 1, FEW, FEW + 1, 1000] {
            let items: Vec<usize> = (0..count).collect();
            for jobs in [0, 1, 2, 7] {
                let made = map(jobs, &items, &|| (), &|(), item| item * 2);
                let wanted: Vec<usize> = items.iter().map(|item| item * 2).collect();
                assert_eq!(made, wanted, "{count} items, {jobs} jobs");
            }
        }
    }
}

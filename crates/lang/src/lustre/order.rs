//! Depth-first order of a graph, and its cycles.
//!
//! Definitions that use each other, nodes that call each other and variables that depend on each
//! other all ask the same question. The walk has a stack of its own: chains are as long as a file.

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// Every vertex after those that it leads to, as far as there is no cycle.
    pub order: Vec<u32>,
    /// Some cycles, at least one if there are any: each vertex leads to the next, the last to the
    /// first.
    pub cycles: Vec<Vec<u32>>,
    /// Vertices that every cycle has one of.
    pub cuts: Vec<u32>,
}

/// More cycles than this say nothing new.
const MOST_CYCLES: usize = 10;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    Open,
    Done,
}

/// Walks from every vertex; `successors[v]` are the vertices that `v` leads to.
pub(super) fn walk(successors: &[Vec<u32>]) -> Walk {
    let mut result = Walk::default();
    let mut marks = vec![Mark::New; successors.len()];
    // A vertex that is open, and the position of its next successor.
    let mut path: Vec<(u32, usize)> = Vec::new();
    for start in 0..successors.len() as u32 {
        if marks[start as usize] != Mark::New {
            continue;
        }
        marks[start as usize] = Mark::Open;
        path.push((start, 0));
        while let Some((vertex, next)) = path.last_mut() {
            let Some(&successor) = successors[*vertex as usize].get(*next) else {
                marks[*vertex as usize] = Mark::Done;
                result.order.push(*vertex);
                path.pop();
                continue;
            };
            *next += 1;
            match marks[successor as usize] {
                Mark::Done => {}
                Mark::New => {
                    marks[successor as usize] = Mark::Open;
                    path.push((successor, 0));
                }
                Mark::Open => {
                    // Every cycle has an edge back to an open vertex.
                    result.cuts.push(successor);
                    if result.cycles.len() < MOST_CYCLES {
                        let round = path.iter().map(|(vertex, _)| *vertex);
                        let round = round.skip_while(|vertex| *vertex != successor);
                        result.cycles.push(round.collect());
                    }
                }
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_led_to_comes_first() {
        let walk = walk(&[vec![2], vec![0], vec![]]);
        assert_eq!(walk.order, [2, 0, 1]);
        assert!(walk.cycles.is_empty());
    }

    #[test]
    fn a_cycle_is_shown_from_where_it_is_entered() {
        let walk = walk(&[vec![1], vec![2], vec![1], vec![3]]);
        assert_eq!(walk.cycles, [vec![1, 2], vec![3]]);
        assert_eq!(walk.cuts, [1, 3]);
    }

    #[test]
    fn a_chain_of_a_million_needs_no_recursion() {
        let chain: Vec<Vec<u32>> = (1..=1_000_000).map(|v| vec![v % 1_000_000]).collect();
        assert_eq!(walk(&chain).cycles[0].len(), 1_000_000);
    }
}

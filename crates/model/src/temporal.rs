//! What is said of whole runs and of the tree of all runs: linear and branching time, and fairness.
//!
//! A [`Formula`] is a list of nodes in which operands come before what is made of them, so that no walk
//! needs recursion. Its atoms are Booleans over one state: trees ([`Expr`](crate::Expr)) in a model,
//! terms over current variables in a system.
//!
//! One meaning, stated once:
//! - A *run* is an infinite sequence of valuations of all variables that satisfies the init parts at the
//!   first and the step parts at every later step. It is *fair* when each justice condition is true
//!   infinitely often, and, for each compassion pair, the second is if the first is. A run that ends
//!   (in a state without successor) is no run.
//! - A linear formula holds when every fair run satisfies it at its first step.
//! - A *state* of branching time is the values of all variables but the labels: inputs and choices are
//!   quantified with the step that reads them. Path quantifiers range over fair runs. A branching formula
//!   holds when every initial state from which a fair run begins satisfies it.
//! - A [`Claim::Justice`] holds when no fair run has all its conditions true infinitely often.
//! - Distances count steps between states from which fair runs begin.
//! - Invariants ([`Property`](crate::Property)) are about finite runs: no fairness, and a run may end.

use std::fmt;

/// The place of a node in its formula.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Subformula(pub u32);

impl Subformula {
    /// As an index into [`Formula::nodes`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Over which runs from a state.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quantifier {
    /// Some fair run.
    Exists,
    /// Every fair run.
    All,
}

/// From so many steps away to so many, both included.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Steps {
    /// The least distance.
    pub low: u32,
    /// The greatest distance; none where there is no limit.
    pub high: Option<u32>,
}

/// Temporal operators of one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    /// At the next step (X).
    Next,
    /// Now or later (F), within these steps from now if they are given.
    Eventually(Option<Steps>),
    /// Now and at every later step (G), or at those within these steps from now.
    Always(Option<Steps>),
    /// There is a step before, and at it (Y).
    Yesterday,
    /// At the step before, if there is one (Z).
    WeakYesterday,
    /// Now or before (O), within these steps back.
    Once(Option<Steps>),
    /// Now and at every step before (H), or at those within these steps back.
    Historically(Option<Steps>),
}

/// Temporal operators of two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    /// The second now or later, within these steps if given, and the first until then (U). With a least
    /// distance, the first holds at least so long.
    Until(Option<Steps>),
    /// The second until and including the step at which the first holds, or for ever (V).
    Release,
    /// The second now or before, and the first since then (S).
    Since,
    /// The second since and including the step at which the first held, or always before (T).
    Trigger,
}

/// One node of a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Node<A> {
    /// A Boolean over one state.
    Atom(A),
    /// Negation.
    Not(Subformula),
    /// Conjunction.
    And(Subformula, Subformula),
    /// Disjunction.
    Or(Subformula, Subformula),
    /// Equivalence.
    Iff(Subformula, Subformula),
    /// A temporal operator; with a quantifier in branching time, without in linear time.
    Unary(Option<Quantifier>, Unary, Subformula),
    /// The same, of two operands.
    Binary(Option<Quantifier>, Binary, Subformula, Subformula),
}

impl<A> Node<A> {
    /// The operands, in order.
    pub fn operands(&self) -> impl Iterator<Item = Subformula> + use<A> {
        let (first, second) = match *self {
            Node::Atom(_) => (None, None),
            Node::Not(a) | Node::Unary(_, _, a) => (Some(a), None),
            Node::And(a, b) | Node::Or(a, b) | Node::Iff(a, b) | Node::Binary(_, _, a, b) => {
                (Some(a), Some(b))
            }
        };
        first.into_iter().chain(second)
    }
}

/// A formula of linear or branching time. The root is the last node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Formula<A> {
    nodes: Vec<Node<A>>,
}

impl<A> Default for Formula<A> {
    fn default() -> Formula<A> {
        Formula { nodes: Vec::new() }
    }
}

impl<A> Formula<A> {
    /// A formula that is an atom.
    pub fn atom(atom: A) -> Formula<A> {
        let nodes = vec![Node::Atom(atom)];
        Formula { nodes }
    }

    /// Adds a node whose operands are there, as the new root.
    pub fn push(&mut self, node: Node<A>) -> Subformula {
        let place = Subformula(self.nodes.len() as u32);
        debug_assert!(node.operands().all(|operand| operand < place));
        self.nodes.push(node);
        place
    }

    /// All nodes, operands before what is made of them.
    pub fn nodes(&self) -> &[Node<A>] {
        &self.nodes
    }

    /// The node at a place.
    pub fn node(&self, place: Subformula) -> &Node<A> {
        &self.nodes[place.index()]
    }

    /// The whole formula; none of an empty one.
    pub fn root(&self) -> Option<Subformula> {
        let last = self.nodes.len().checked_sub(1)?;
        Some(Subformula(last as u32))
    }

    /// The atoms, in order.
    pub fn atoms(&self) -> impl Iterator<Item = &A> {
        self.nodes.iter().filter_map(|node| match node {
            Node::Atom(atom) => Some(atom),
            _ => None,
        })
    }

    /// The same formula over other atoms.
    pub fn try_map<B, E>(&self, mut atom: impl FnMut(&A) -> Result<B, E>) -> Result<Formula<B>, E> {
        let nodes = self.nodes.iter().map(|node| {
            Ok(match *node {
                Node::Atom(ref old) => Node::Atom(atom(old)?),
                Node::Not(a) => Node::Not(a),
                Node::And(a, b) => Node::And(a, b),
                Node::Or(a, b) => Node::Or(a, b),
                Node::Iff(a, b) => Node::Iff(a, b),
                Node::Unary(q, operator, a) => Node::Unary(q, operator, a),
                Node::Binary(q, operator, a, b) => Node::Binary(q, operator, a, b),
            })
        });
        let nodes: Result<Vec<Node<B>>, E> = nodes.collect();
        Ok(Formula { nodes: nodes? })
    }

    /// Whether every temporal operator has a quantifier and looks ahead.
    pub fn is_branching(&self) -> bool {
        self.nodes.iter().all(|node| match node {
            Node::Unary(quantifier, operator, _) => {
                quantifier.is_some()
                    && matches!(
                        operator,
                        Unary::Next | Unary::Eventually(_) | Unary::Always(_)
                    )
            }
            Node::Binary(quantifier, operator, ..) => {
                quantifier.is_some() && matches!(operator, Binary::Until(_))
            }
            _ => true,
        })
    }

    /// Whether no temporal operator has a quantifier.
    pub fn is_linear(&self) -> bool {
        self.nodes.iter().all(|node| {
            !matches!(
                node,
                Node::Unary(Some(_), ..)
                    | Node::Binary(Some(_), ..)
                    | Node::Binary(_, Binary::Until(Some(_)), ..)
            )
        })
    }
}

/// What is said of the runs of a system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claim<A> {
    /// Every fair run satisfies a formula without quantifiers (LTL).
    Linear(Formula<A>),
    /// Every initial state satisfies a formula with quantifiers (CTL).
    Branching(Formula<A>),
    /// No fair run has all of these true infinitely often (a justice property of a netlist).
    Justice(Vec<A>),
    /// Asks for the least or the greatest number of steps from a state of one set to one of another.
    Distance {
        /// Whether the greatest is asked for.
        longest: bool,
        /// Where paths begin, a branching formula.
        from: Formula<A>,
        /// Where they end, a branching formula.
        to: Formula<A>,
    },
}

/// What a [`Claim::Distance`] comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Distance {
    /// So many steps.
    Steps(u64),
    /// There is no path, or no end of paths.
    Infinite,
    /// No state to begin with, or none to end in.
    Undefined,
}

impl fmt::Display for Distance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distance::Steps(steps) => steps.fmt(f),
            Distance::Infinite => f.write_str("infinity"),
            Distance::Undefined => f.write_str("undefined"),
        }
    }
}

/// The kinds of properties, as reports name them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// True in every state that a finite run reaches.
    Invariant,
    /// No fair run has some conditions infinitely often.
    Justice,
    /// A formula of linear time.
    Linear,
    /// A formula of branching time.
    Branching,
    /// A number is asked for.
    Distance,
}

impl Kind {
    /// As findings have it.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Invariant => "invariant",
            Kind::Justice => "justice",
            Kind::Linear => "ltl",
            Kind::Branching => "ctl",
            Kind::Distance => "compute",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<A> Claim<A> {
    /// What it is.
    pub fn kind(&self) -> Kind {
        match self {
            Claim::Linear(_) => Kind::Linear,
            Claim::Branching(_) => Kind::Branching,
            Claim::Justice(_) => Kind::Justice,
            Claim::Distance { .. } => Kind::Distance,
        }
    }

    /// Every atom in it.
    pub fn atoms(&self) -> Vec<&A> {
        match self {
            Claim::Linear(formula) | Claim::Branching(formula) => formula.atoms().collect(),
            Claim::Justice(conditions) => conditions.iter().collect(),
            Claim::Distance { from, to, .. } => from.atoms().chain(to.atoms()).collect(),
        }
    }

    /// The same claim over other atoms.
    pub fn try_map<B, E>(&self, mut atom: impl FnMut(&A) -> Result<B, E>) -> Result<Claim<B>, E> {
        Ok(match self {
            Claim::Linear(formula) => Claim::Linear(formula.try_map(atom)?),
            Claim::Branching(formula) => Claim::Branching(formula.try_map(atom)?),
            Claim::Justice(conditions) => {
                Claim::Justice(conditions.iter().map(atom).collect::<Result<_, E>>()?)
            }
            Claim::Distance { longest, from, to } => Claim::Distance {
                longest: *longest,
                from: from.try_map(&mut atom)?,
                to: to.try_map(&mut atom)?,
            },
        })
    }

    /// What is wrong with its form, if something is.
    pub fn malformed(&self) -> Option<&'static str> {
        let empty = |formula: &Formula<A>| formula.root().is_none();
        match self {
            Claim::Linear(formula) if empty(formula) => Some("is empty"),
            Claim::Linear(formula) if !formula.is_linear() => {
                Some("has a path quantifier, which a formula of linear time cannot have")
            }
            Claim::Branching(formula) if empty(formula) => Some("is empty"),
            Claim::Branching(formula) if !formula.is_branching() => {
                Some("has a temporal operator without a path quantifier")
            }
            Claim::Distance { from, to, .. } if empty(from) || empty(to) => Some("is empty"),
            Claim::Distance { from, to, .. } if !from.is_branching() || !to.is_branching() => {
                Some("has a temporal operator without a path quantifier")
            }
            _ => None,
        }
    }
}

/// A claim with its name and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Specification<A> {
    /// As reports write it.
    pub name: String,
    /// What is said.
    pub claim: Claim<A>,
    /// Where it is in the source.
    pub origin: crate::origin::Origin,
}

/// Which runs count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fairness<A> {
    /// Each is true infinitely often.
    pub justice: Vec<A>,
    /// If the first is true infinitely often, so is the second.
    pub compassion: Vec<(A, A)>,
}

impl<A> Default for Fairness<A> {
    fn default() -> Fairness<A> {
        Fairness {
            justice: Vec::new(),
            compassion: Vec::new(),
        }
    }
}

impl<A> Fairness<A> {
    /// Whether every run is fair.
    pub fn is_empty(&self) -> bool {
        self.justice.is_empty() && self.compassion.is_empty()
    }

    /// Every condition.
    pub fn atoms(&self) -> impl Iterator<Item = &A> {
        let pairs = self.compassion.iter().flat_map(|(a, b)| [a, b]);
        self.justice.iter().chain(pairs)
    }

    /// The same over other atoms.
    pub fn try_map<B, E>(
        &self,
        mut atom: impl FnMut(&A) -> Result<B, E>,
    ) -> Result<Fairness<B>, E> {
        let justice: Result<Vec<B>, E> = self.justice.iter().map(&mut atom).collect();
        let pairs = self.compassion.iter();
        let compassion: Result<Vec<(B, B)>, E> =
            pairs.map(|(a, b)| Ok((atom(a)?, atom(b)?))).collect();
        Ok(Fairness {
            justice: justice?,
            compassion: compassion?,
        })
    }
}

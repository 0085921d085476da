//! Why a run has values that nothing determines: it asks for them, in an order that is the same for whoever runs it.

use super::{FunctionId, VariableId};
use std::sync::Arc;

/// Where a value comes from that nothing determines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InputReason {
    /// The program asks for it, by this name.
    Asked(Arc<str>),
    /// A variable before anything is stored in it.
    Uninitialised(VariableId),
    /// Memory before anything is stored in it.
    Allocated,
    /// A function without a body returns it.
    Undefined(FunctionId),
    /// A function that ends without saying what it returns.
    NoReturn(FunctionId),
    /// An operation without a meaning yields it.
    Invalid,
}

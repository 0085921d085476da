//! C.
#![allow(dead_code)]
mod headers;
mod literal;
mod preprocess;
mod scan;
mod token;

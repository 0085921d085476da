//! The entrance: files, byte spans, line and column, diagnostics as data.

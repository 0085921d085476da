//! Moving averages in integers: exponential ones as in Biere and Fröhlich 2015, "Evaluating CDCL
//! restart schemes", in 1/2^16, so that the same run is the same on every machine.

/// An average of about the last `window` numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Average {
    value: i64,
    count: i64,
    window: i64,
}

impl Average {
    pub(crate) const fn new(window: i64) -> Average {
        Average {
            value: 0,
            count: 0,
            window,
        }
    }

    pub(crate) fn update(&mut self, number: u32) {
        // At first, a plain average: a start at zero would be a bias.
        self.count = (self.count + 1).min(self.window);
        self.value += ((i64::from(number) << 16) - self.value) / self.count;
    }

    /// In 1/2^16.
    pub(crate) fn value(&self) -> i64 {
        self.value
    }

    pub(crate) fn set(&mut self, other: &Average) {
        self.value = other.value;
    }
}

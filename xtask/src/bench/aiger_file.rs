//! Circuits in binary AIGER, read and written with nothing of Proofmark in between.
//!
//! For comparisons: a circuit that is cut here, by numbers alone, is one that the product had no
//! hand in.

/// Numbers of the file: literals are twice a variable, plus one for the complement.
pub struct Circuit {
    inputs: u64,
    /// The next value and, where it is given, what it begins with.
    latches: Vec<(u64, Option<u64>)>,
    outputs: Vec<u64>,
    /// The larger fanin first.
    ands: Vec<[u64; 2]>,
}

impl Circuit {
    /// Reads a file with outputs in the place of bad signals, and no section of AIGER 1.9.
    pub fn read(bytes: &[u8]) -> Option<Circuit> {
        let mut at = 0;
        let mut line = || {
            let rest = bytes.get(at..)?;
            let end = rest.iter().position(|byte| *byte == b'\n')?;
            at += end + 1;
            std::str::from_utf8(&rest[..end])
                .ok()
                .map(|text| (text.to_string(), at))
        };
        let (header, _) = line()?;
        let mut words = header.split(' ');
        if words.next() != Some("aig") {
            return None;
        }
        let numbers: Option<Vec<u64>> = words.map(|word| word.parse().ok()).collect();
        let [_, inputs, latches, outputs, ands] = numbers?[..] else {
            return None;
        };
        let mut end = 0;
        let mut numbers = || {
            let (text, at) = line()?;
            end = at;
            text.split(' ')
                .map(|word| word.parse().ok())
                .collect::<Option<Vec<u64>>>()
        };
        let latches = (0..latches).map(|_| {
            let line = numbers()?;
            Some((*line.first()?, line.get(1).copied()))
        });
        let latches: Option<Vec<_>> = latches.collect();
        let outputs: Option<Vec<u64>> = (0..outputs).map(|_| numbers()?.first().copied()).collect();
        let (latches, outputs) = (latches?, outputs?);
        let mut rest = bytes.get(end..)?.iter();
        let mut number = || {
            let (mut value, mut shift) = (0u64, 0);
            loop {
                let byte = *rest.next()?;
                value |= u64::from(byte & 0x7F) << shift;
                if byte & 0x80 == 0 {
                    return Some(value);
                }
                shift += 7;
            }
        };
        let first = inputs + latches.len() as u64 + 1;
        let ands = (first..first + ands).map(|variable| {
            let large = (2 * variable).checked_sub(number()?)?;
            Some([large, large.checked_sub(number()?)?])
        });
        let ands = ands.collect::<Option<Vec<_>>>()?;
        Some(Circuit {
            inputs,
            latches,
            outputs,
            ands,
        })
    }

    /// The circuit with a latch cut, as `nondet`, `zero` or `one`, at its `next` value or its `output`.
    pub fn cut(mut self, latch: usize, criterion: &str, place: &str) -> Circuit {
        if criterion == "nondet" {
            self.add_input();
        }
        let value = match criterion {
            "zero" => 0,
            "one" => 1,
            _ => 2 * self.inputs,
        };
        match place {
            "output" => self.replace_readers(latch, value),
            _ => self.latches[latch].0 = value,
        }
        self
    }

    /// A new input behind the others: every later variable has a number that is greater by one.
    fn add_input(&mut self) {
        let last = 2 * self.inputs + 1;
        let moved = |literal: &mut u64| {
            if *literal > last {
                *literal += 2;
            }
        };
        self.latches.iter_mut().for_each(|(next, init)| {
            moved(next);
            init.iter_mut().filter(|init| **init > 1).for_each(moved);
        });
        self.outputs.iter_mut().for_each(moved);
        self.ands.iter_mut().flatten().for_each(moved);
        self.inputs += 1;
    }

    /// Everybody who reads a latch reads another literal.
    fn replace_readers(&mut self, latch: usize, value: u64) {
        let own = 2 * (self.inputs + latch as u64 + 1);
        let read = |literal: &mut u64| {
            if *literal & !1 == own {
                *literal = value ^ (*literal & 1);
            }
        };
        self.latches.iter_mut().for_each(|(next, _)| read(next));
        self.outputs.iter_mut().for_each(read);
        for and in &mut self.ands {
            and.iter_mut().for_each(read);
            and.sort_unstable_by(|a, b| b.cmp(a));
        }
    }

    /// The bytes of the file.
    pub fn write(&self) -> Vec<u8> {
        let (latches, outputs, ands) = (self.latches.len(), self.outputs.len(), self.ands.len());
        let all = self.inputs + (latches + ands) as u64;
        let mut text = format!("aig {all} {} {latches} {outputs} {ands}\n", self.inputs);
        for (next, init) in &self.latches {
            match init {
                Some(init) => text.push_str(&format!("{next} {init}\n")),
                None => text.push_str(&format!("{next}\n")),
            }
        }
        for output in &self.outputs {
            text.push_str(&format!("{output}\n"));
        }
        let mut bytes = text.into_bytes();
        let mut number = |mut value: u64| {
            while value >= 0x80 {
                bytes.push((value & 0x7F) as u8 | 0x80);
                value >>= 7;
            }
            bytes.push(value as u8);
        };
        let first = self.inputs + latches as u64 + 1;
        for (variable, [large, small]) in (first..).zip(&self.ands) {
            number(2 * variable - large);
            number(large - small);
        }
        bytes
    }
}

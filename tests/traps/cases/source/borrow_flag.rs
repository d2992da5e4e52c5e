#![no_std]
#![crate_type = "lib"]

// A RefCell's flag in global memory: already borrowed is a panic.
use core::cell::RefCell;

#[unsafe(no_mangle)]
pub fn take_turn(cell: &RefCell<u32>, out: &mut u32) {
    *out = *cell.borrow();
}

#![no_std]
#![crate_type = "lib"]

// A pointer that may be null, and a value that must not be zero.
use core::num::NonZeroU32;

#[unsafe(no_mangle)]
pub fn through_pointer(x: *const u32, divisor: u32, out: &mut u32) {
    let x = unsafe { x.as_ref() }.unwrap();
    let divisor = NonZeroU32::new(divisor).expect("divisor");
    *out = *x / divisor;
}

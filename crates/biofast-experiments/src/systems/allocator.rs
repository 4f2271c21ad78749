//! The allocator of `biofast-lab`: the system's, or that of a shared library named in an environment variable when
//! a process starts. So one program can be measured with several allocators for its Rust code, while the C code
//! in it keeps the system's. Used by entries 042 to 045, whose conditions run in processes of their own.
//!
//! All go through the same table of functions, so that a comparison is between allocators and not between ways of
//! calling them. With `LD_PRELOAD` instead, a library serves C code too.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::OnceLock;

/// Names the library, as the dynamic linker knows it: `libjemalloc.so.2`.
pub const VARIABLE: &CStr = c"BIOFAST_LAB_RUST_ALLOCATOR";

/// What `malloc` aligns to anyway.
const MIN_ALIGN: usize = 2 * size_of::<usize>();

/// An allocator's functions, by their names in C.
struct Functions {
    malloc: unsafe extern "C" fn(usize) -> *mut c_void,
    calloc: unsafe extern "C" fn(usize, usize) -> *mut c_void,
    realloc: unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void,
    posix_memalign: unsafe extern "C" fn(*mut *mut c_void, usize, usize) -> c_int,
    free: unsafe extern "C" fn(*mut c_void),
}

static SYSTEM: Functions = Functions {
    malloc: libc::malloc,
    calloc: libc::calloc,
    realloc: libc::realloc,
    posix_memalign: libc::posix_memalign,
    free: libc::free,
};

/// Decided at the first allocation, which is before `main`.
static CHOSEN: OnceLock<Functions> = OnceLock::new();

impl Functions {
    fn load(library: &CStr) -> Result<Functions, &'static CStr> {
        // SAFETY: the name ends with a zero. The library is never closed, so its functions stay.
        let handle = unsafe { libc::dlopen(library.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if handle.is_null() {
            return Err(c"cannot be loaded");
        }
        // SAFETY: each symbol is found under the name whose C signature is the one its field has.
        unsafe {
            Ok(Functions {
                malloc: find(handle, c"malloc")?,
                calloc: find(handle, c"calloc")?,
                realloc: find(handle, c"realloc")?,
                posix_memalign: find(handle, c"posix_memalign")?,
                free: find(handle, c"free")?,
            })
        }
    }

    /// What the environment asks for. Nothing in here may allocate by Rust.
    fn choose() -> Functions {
        // SAFETY: the name ends with a zero; nothing changes the environment before the first allocation.
        let library = unsafe { libc::getenv(VARIABLE.as_ptr()) };
        if library.is_null() {
            return Functions { ..SYSTEM };
        }
        // SAFETY: getenv returned it, so it ends with a zero.
        let library = unsafe { CStr::from_ptr(library) };
        Functions::load(library).unwrap_or_else(|lacks| {
            for part in [c"biofast-lab: allocator ", library, c": ", lacks, c"\n"] {
                let bytes = part.to_bytes();
                // SAFETY: the pointer and length are those of live bytes. There is nobody to tell if it fails.
                unsafe { libc::write(2, bytes.as_ptr().cast(), bytes.len()) };
            }
            // SAFETY: ends the process; nothing has to be put in order yet.
            unsafe { libc::_exit(2) }
        })
    }

    /// Aligned more than `malloc` does it; null if there is no memory.
    fn aligned(&self, layout: Layout) -> *mut u8 {
        let mut found = ptr::null_mut();
        let align = layout.align().max(size_of::<*mut c_void>());
        // SAFETY: the pointer is to a live local; `align` is a power of two and a multiple of a pointer's size.
        match unsafe { (self.posix_memalign)(&raw mut found, align, layout.size()) } {
            0 => found.cast(),
            _ => ptr::null_mut(),
        }
    }

    fn alloc(&self, layout: Layout) -> *mut u8 {
        if fits_malloc(layout) {
            // SAFETY: `malloc` may be called with any size.
            unsafe { (self.malloc)(layout.size()) }.cast()
        } else {
            self.aligned(layout)
        }
    }

    fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if fits_malloc(layout) {
            // SAFETY: `calloc` may be called with any size.
            return unsafe { (self.calloc)(layout.size(), 1) }.cast();
        }
        let found = self.aligned(layout);
        if !found.is_null() {
            // SAFETY: so many bytes were just allocated there.
            unsafe { ptr::write_bytes(found, 0, layout.size()) };
        }
        found
    }

    /// # Safety
    /// `old` is from this table, not freed, and of `layout`.
    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if layout.align() <= MIN_ALIGN && layout.align() <= size {
            // SAFETY: as the caller promises; posix_memalign's memory may be given to realloc too.
            return unsafe { (self.realloc)(old.cast(), size) }.cast();
        }
        // SAFETY: the size is not zero and doesn't overflow with this alignment, as GlobalAlloc demands.
        let new = self.alloc(unsafe { Layout::from_size_align_unchecked(size, layout.align()) });
        if !new.is_null() {
            // SAFETY: both hold at least the smaller of both sizes and are apart; `old` isn't used again.
            unsafe {
                ptr::copy_nonoverlapping(old, new, layout.size().min(size));
                (self.free)(old.cast());
            }
        }
        new
    }
}

/// A function of a library, or its name if there is none.
///
/// # Safety
/// `handle` is of an open library, whose function of that name, if there is one, is an `F`.
unsafe fn find<F: Copy>(handle: *mut c_void, name: &'static CStr) -> Result<F, &'static CStr> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    // SAFETY: the handle is open, as the caller promises, and the name ends with a zero.
    let found = unsafe { libc::dlsym(handle, name.as_ptr()) };
    if found.is_null() {
        return Err(name);
    }
    // SAFETY: as the caller promises; both are as long as a pointer.
    Ok(unsafe { std::mem::transmute_copy(&found) })
}

/// Whether `malloc` aligns enough.
fn fits_malloc(layout: Layout) -> bool {
    layout.align() <= MIN_ALIGN && layout.align() <= layout.size()
}

/// The global allocator of `biofast-lab`.
pub struct Switch;

impl Switch {
    #[inline]
    fn functions() -> &'static Functions {
        CHOSEN.get_or_init(Functions::choose)
    }
}

// SAFETY: memory comes from one table of C functions, which is chosen once and never changed, with the size and
// alignment asked for, and goes back to the same table. None of the functions unwinds.
unsafe impl GlobalAlloc for Switch {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Switch::functions().alloc(layout)
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Switch::functions().alloc_zeroed(layout)
    }

    #[inline]
    unsafe fn dealloc(&self, old: *mut u8, _: Layout) {
        // SAFETY: as the caller promises, `old` came from this table.
        unsafe { (Switch::functions().free)(old.cast()) }
    }

    #[inline]
    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as the caller promises.
        unsafe { Switch::functions().realloc(old, layout, size) }
    }
}

/// The files of the libraries that serve Rust code and C code in this process, as the dynamic linker names them.
/// Rust code is C code's `malloc` too unless [`Switch`] is the global allocator and was told otherwise.
pub(crate) fn serving() -> (String, String) {
    let rust = CHOSEN.get().map_or(SYSTEM.malloc, |functions| functions.malloc);
    (file_of(rust as *const c_void), file_of(SYSTEM.malloc as *const c_void))
}

fn file_of(function: *const c_void) -> String {
    let mut info = libc::Dl_info {
        dli_fname: ptr::null::<c_char>(),
        dli_fbase: ptr::null_mut(),
        dli_sname: ptr::null(),
        dli_saddr: ptr::null_mut(),
    };
    // SAFETY: the pointer is to a live local of the type that dladdr fills in; any address may be asked about.
    let known = unsafe { libc::dladdr(function, &raw mut info) } != 0;
    if !known || info.dli_fname.is_null() {
        return "unknown".to_owned();
    }
    // SAFETY: dladdr found it, so it is a string that lives as long as the library is loaded.
    unsafe { CStr::from_ptr(info.dli_fname) }.to_string_lossy().into_owned()
}

//! A Vulkan layer between the program and its driver, compiled to its own library, that fails like a driver when the
//! file named by `MURMURATION_FAULT` says so.
//!
//! ```text
//! lose             every device that is open is lost from now on; the file is removed
//! lose every       every device is lost, those that are opened later, too
//! lose surface     the surface is lost at the next picture, and takes no swapchain after that; the file is removed
//! outdate surface  the same, but the surface is only out of date
//! memory N         no buffer and no allocation of more than N bytes can be made
//! ```

use std::ffi::{CStr, c_char, c_void};
use std::sync::Mutex;

/// An instance, a device or a queue: points to a pointer to its dispatch table, which a queue shares with its device.
type Handle = *mut c_void;
type Function = Option<unsafe extern "system" fn()>;
type GetProc = unsafe extern "system" fn(Handle, *const c_char) -> Function;
type Create = unsafe extern "system" fn(Handle, *mut Info, *const c_void, *mut Handle) -> i32;
type CreateInstance = unsafe extern "system" fn(*mut Info, *const c_void, *mut Handle) -> i32;

/// The common header of Vulkan's structures; the other fields are those of the loader's structures.
#[repr(C)]
struct Info {
    kind: u32,
    next: *mut Info,
    function: u32,
    link: *mut Link,
}

/// The next layer, or the driver.
#[repr(C)]
struct Link {
    next: *mut Link,
    instance_proc: GetProc,
    device_proc: GetProc,
}

#[repr(C)]
struct Allocation {
    kind: u32,
    next: *const c_void,
    size: u64,
}

#[repr(C)]
struct Buffer {
    kind: u32,
    next: *const c_void,
    flags: u32,
    size: u64,
}

#[repr(C)]
struct Swapchain {
    kind: u32,
    next: *const c_void,
    flags: u32,
    surface: u64,
}

const INSTANCE_LINK: u32 = 47;
const DEVICE_LINK: u32 = 48;

const OUT_OF_DEVICE_MEMORY: i32 = -2;
const DEVICE_LOST: i32 = -4;
const INITIALIZATION_FAILED: i32 = -3;
const SURFACE_LOST: i32 = -1_000_000_000;
const OUT_OF_DATE: i32 = -1_000_001_004;

/// An instance or a device.
struct Open {
    key: usize,
    /// Its handle, as a number.
    handle: usize,
    /// The next layer.
    next: GetProc,
    lost: bool,
}

/// The surface of each swapchain, and the last surface that was lost.
static SURFACES: Mutex<(Vec<(u64, u64)>, u64)> = Mutex::new((Vec::new(), 0));

static OPEN: Mutex<Vec<Open>> = Mutex::new(Vec::new());

unsafe fn key(handle: Handle) -> usize {
    unsafe { *handle.cast::<usize>() }
}

unsafe fn remember(handle: Handle, next: GetProc) {
    let mut open = OPEN.lock().unwrap();
    let key = unsafe { key(handle) };
    open.retain(|other| other.key != key);
    open.push(Open { key, handle: handle as usize, next, lost: false });
}

unsafe fn next(handle: Handle, name: *const c_char) -> Function {
    if handle.is_null() {
        return None;
    }
    let key = unsafe { key(handle) };
    let open = OPEN.lock().unwrap();
    let (next, handle) = open.iter().find(|open| open.key == key).map(|open| (open.next, open.handle))?;
    drop(open);
    unsafe { next(handle as Handle, name) }
}

/// The order of the test.
fn order() -> String {
    let file = std::env::var_os("MURMURATION_FAULT").unwrap_or_default();
    std::fs::read_to_string(file).unwrap_or_default()
}

/// True if the order is this one, which is done once.
fn ordered(word: &str) -> bool {
    let file = std::env::var_os("MURMURATION_FAULT").unwrap_or_default();
    order() == word && std::fs::remove_file(file).is_ok()
}

unsafe fn lost(handle: Handle) -> bool {
    if ordered("lose") {
        OPEN.lock().unwrap().iter_mut().for_each(|open| open.lost = true);
    }
    let key = unsafe { key(handle) };
    let every = order() == "lose every";
    let mut open = OPEN.lock().unwrap();
    let Some(open) = open.iter_mut().find(|open| open.key == key) else { return false };
    if every && !open.lost {
        open.lost = true;
        let file = std::env::var_os("MURMURATION_FAULT").unwrap_or_default();
        let fired = std::fs::write(std::path::Path::new(&file).with_extension("fired"), "");
        fired.expect("the folder of the order can be written");
    }
    open.lost
}

/// The error of making so many bytes.
fn short(size: u64) -> Option<i32> {
    let most = order().strip_prefix("memory ").and_then(|most| most.trim().parse::<u64>().ok());
    most.filter(|most| size > *most).map(|_| OUT_OF_DEVICE_MEMORY)
}

unsafe fn link(mut info: *mut Info, kind: u32) -> *mut Info {
    unsafe {
        while !info.is_null() && ((*info).kind != kind || (*info).function != 0) {
            info = (*info).next;
        }
    }
    info
}

unsafe extern "system" fn create_instance(
    info: *mut Info,
    allocator: *const c_void,
    instance: *mut Handle,
) -> i32 {
    unsafe {
        let link = link((*info).next, INSTANCE_LINK);
        let next = (*(*link).link).instance_proc;
        (*link).link = (*(*link).link).next;
        let Some(create) = next(std::ptr::null_mut(), c"vkCreateInstance".as_ptr()) else {
            return INITIALIZATION_FAILED;
        };
        let result = std::mem::transmute::<_, CreateInstance>(create)(info, allocator, instance);
        if result == 0 {
            remember(*instance, next);
        }
        result
    }
}

unsafe extern "system" fn create_device(
    adapter: Handle,
    info: *mut Info,
    allocator: *const c_void,
    device: *mut Handle,
) -> i32 {
    unsafe {
        let link = link((*info).next, DEVICE_LINK);
        let (instance_proc, device_proc) = ((*(*link).link).instance_proc, (*(*link).link).device_proc);
        (*link).link = (*(*link).link).next;
        let Some(create) = instance_proc(std::ptr::null_mut(), c"vkCreateDevice".as_ptr()) else {
            return INITIALIZATION_FAILED;
        };
        let result = std::mem::transmute::<_, Create>(create)(adapter, info, allocator, device);
        if result == 0 {
            remember(*device, device_proc);
        }
        result
    }
}

/// A function as the loader takes it.
macro_rules! pointer {
    ($function:expr) => {
        Some(unsafe {
            std::mem::transmute::<*const c_void, unsafe extern "system" fn()>($function as *const c_void)
        })
    };
}

/// Defines a function of Vulkan that fails with an error where a condition holds, else calls the next layer.
macro_rules! failing {
    ($($name:ident = $vulkan:literal ($first:ident: Handle $(, $argument:ident: $kind:ty)*) $fault:block)*) => {
        $(unsafe extern "system" fn $name($first: Handle $(, $argument: $kind)*) -> i32 {
            let fault: Option<i32> = unsafe { $fault };
            if let Some(error) = fault {
                return error;
            }
            type This = unsafe extern "system" fn(Handle $(, $kind)*) -> i32;
            unsafe {
                match next($first, $vulkan.as_ptr()) {
                    Some(next) => std::mem::transmute::<_, This>(next)($first $(, $argument)*),
                    None => INITIALIZATION_FAILED,
                }
            }
        })*

        /// This layer's function of a name.
        fn own(name: &CStr) -> Function {
            if name == c"vkCreateSwapchainKHR" {
                return pointer!(create_swapchain);
            }
            $(if name == $vulkan {
                return pointer!($name);
            })*
            None
        }
    };
}

type CreateSwapchain = unsafe extern "system" fn(Handle, *const Swapchain, *const c_void, *mut u64) -> i32;

unsafe extern "system" fn create_swapchain(
    device: Handle,
    info: *const Swapchain,
    allocator: *const c_void,
    swapchain: *mut u64,
) -> i32 {
    unsafe {
        let surface = (*info).surface;
        if SURFACES.lock().unwrap().1 == surface {
            return SURFACE_LOST;
        }
        let Some(create) = next(device, c"vkCreateSwapchainKHR".as_ptr()) else {
            return INITIALIZATION_FAILED;
        };
        let result = std::mem::transmute::<_, CreateSwapchain>(create)(device, info, allocator, swapchain);
        if result == 0 {
            SURFACES.lock().unwrap().0.push((*swapchain, surface));
        }
        result
    }
}

failing! {
    queue_submit = c"vkQueueSubmit" (queue: Handle, count: u32, submits: *const c_void, fence: u64) {
        lost(queue).then_some(DEVICE_LOST)
    }
    wait_semaphores = c"vkWaitSemaphores" (device: Handle, info: *const c_void, timeout: u64) {
        lost(device).then_some(DEVICE_LOST)
    }
    wait_semaphores_khr = c"vkWaitSemaphoresKHR" (device: Handle, info: *const c_void, timeout: u64) {
        lost(device).then_some(DEVICE_LOST)
    }
    counter = c"vkGetSemaphoreCounterValue" (device: Handle, semaphore: u64, value: *mut u64) {
        lost(device).then_some(DEVICE_LOST)
    }
    counter_khr = c"vkGetSemaphoreCounterValueKHR" (device: Handle, semaphore: u64, value: *mut u64) {
        lost(device).then_some(DEVICE_LOST)
    }
    wait_fences = c"vkWaitForFences" (
        device: Handle, count: u32, fences: *const u64, all: u32, timeout: u64
    ) {
        lost(device).then_some(DEVICE_LOST)
    }
    allocate = c"vkAllocateMemory" (
        device: Handle, info: *const Allocation, allocator: *const c_void, memory: *mut u64
    ) {
        short((*info).size)
    }
    create_buffer = c"vkCreateBuffer" (
        device: Handle, info: *const Buffer, allocator: *const c_void, buffer: *mut u64
    ) {
        short((*info).size)
    }
    acquire = c"vkAcquireNextImageKHR" (
        device: Handle, swapchain: u64, timeout: u64, semaphore: u64, fence: u64, index: *mut u32
    ) {
        if ordered("lose surface") {
            let mut surfaces = SURFACES.lock().unwrap();
            surfaces.1 = surfaces.0.iter().rfind(|(known, _)| *known == swapchain).map_or(0, |(_, surface)| *surface);
            Some(SURFACE_LOST)
        } else if ordered("outdate surface") {
            Some(OUT_OF_DATE)
        } else {
            lost(device).then_some(DEVICE_LOST)
        }
    }
    present = c"vkQueuePresentKHR" (queue: Handle, info: *const c_void) {
        lost(queue).then_some(DEVICE_LOST)
    }
}

/// The entry of the loader for functions of instances.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vkGetInstanceProcAddr(instance: Handle, name: *const c_char) -> Function {
    let text = unsafe { CStr::from_ptr(name) };
    if text == c"vkGetInstanceProcAddr" {
        return pointer!(vkGetInstanceProcAddr);
    } else if text == c"vkGetDeviceProcAddr" {
        return pointer!(vkGetDeviceProcAddr);
    } else if text == c"vkCreateInstance" {
        return pointer!(create_instance);
    } else if text == c"vkCreateDevice" {
        return pointer!(create_device);
    }
    let next = unsafe { next(instance, name) };
    next.and_then(|next| own(text).or(Some(next)))
}

/// The entry of the loader for functions of devices.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn vkGetDeviceProcAddr(device: Handle, name: *const c_char) -> Function {
    let text = unsafe { CStr::from_ptr(name) };
    if text == c"vkGetDeviceProcAddr" {
        return pointer!(vkGetDeviceProcAddr);
    }
    let next = unsafe { next(device, name) };
    next.and_then(|next| own(text).or(Some(next)))
}

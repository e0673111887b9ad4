/**
 * Removes globals that, as measurements showed, can exceed the isolate's memory limit or outlive a run. Evaluated
 * inside the isolate from its source text, so the body must not use anything from outside.
 */
export function hardenGlobals(): void {
  const { defineProperty, deleteProperty, construct } = Reflect;
  const gone = ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'FinalizationRegistry', 'WeakRef', 'console'];
  for (let at = 0; at < gone.length; at += 1) deleteProperty(globalThis, gone[at] as string);

  const Original = ArrayBuffer;
  const prototype = Original.prototype;
  const growing = ['resize', 'resizable', 'maxByteLength', 'transfer', 'transferToFixedLength'];
  for (let at = 0; at < growing.length; at += 1) deleteProperty(prototype, growing[at] as string);

  // Ignores the second argument, which could request a growable buffer. The original constructor is reachable only
  // through this closure.
  function ArrayBufferOfFixedLength(length: number): ArrayBuffer {
    if (!new.target) throw new TypeError("Constructor ArrayBuffer requires 'new'");
    return construct(Original, [length], new.target);
  }
  const plain = { writable: true, enumerable: false, configurable: true };
  defineProperty(ArrayBufferOfFixedLength, 'name', { value: 'ArrayBuffer' });
  defineProperty(ArrayBufferOfFixedLength, 'isView', { value: Original.isView, ...plain });
  defineProperty(ArrayBufferOfFixedLength, 'prototype', { value: prototype, writable: false });
  defineProperty(prototype, 'constructor', { value: ArrayBufferOfFixedLength, ...plain });
  defineProperty(globalThis, 'ArrayBuffer', { value: ArrayBufferOfFixedLength, ...plain });
}

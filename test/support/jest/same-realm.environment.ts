// Imports nothing of ours: jest loads it as it stands.
import { TestEnvironment } from 'jest-environment-node';

/**
 * Jest's own code runs in a context of its own, the specs in Node's. They share the built-in classes, or
 * `expect.any(String)` and `instanceof Error` would mean another `String` and another `Error` there.
 */
export default class SameRealmEnvironment extends TestEnvironment {
  constructor(...given: ConstructorParameters<typeof TestEnvironment>) {
    super(...given);
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(globalThis))) {
      if (/^[A-Z]/.test(name) && typeof value === 'function') Object.defineProperty(this.global, name, { value });
    }
  }
}

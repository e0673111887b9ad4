// Jest loads this file without a build, so it must not import the service.
import { TestEnvironment } from 'jest-environment-node';

/**
 * Jest's own code runs in a separate context, and specs run in Node's. This environment shares the built-in classes
 * between them. Otherwise, `expect.any(String)` and `instanceof Error` would refer to different classes there.
 */
export default class SameRealmEnvironment extends TestEnvironment {
  constructor(...given: ConstructorParameters<typeof TestEnvironment>) {
    super(...given);
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(globalThis))) {
      if (/^[A-Z]/.test(name) && typeof value === 'function') Object.defineProperty(this.global, name, { value });
    }
  }
}

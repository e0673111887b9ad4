import { afterAll } from '@jest/globals';

const originals: (() => void)[] = [];
afterAll(() => {
  for (const putBack of originals.splice(0).reverse()) putBack();
});

/** Calls the function when the spec file ends, because other files may use the same service. */
export const putBackAtEnd = (putBack: () => void): void => void originals.push(putBack);

/** Replaces methods of a part of the service until the spec file ends. */
export function replaceMethods<Part extends object>(part: Part, methods: Partial<Part>): void {
  const before = Object.getOwnPropertyDescriptors(part);
  Object.assign(part, methods);
  putBackAtEnd(() => {
    for (const name of Object.keys(methods)) {
      const own = Reflect.get(before, name);
      if (own === undefined) Reflect.deleteProperty(part, name);
      else Object.defineProperty(part, name, own);
    }
  });
}

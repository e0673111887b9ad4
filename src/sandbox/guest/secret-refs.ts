/**
 * Evaluated inside the isolate from its source text, so the body must not use anything from outside. The returned
 * function makes an object, called a marker, that represents a secret. Code that uses a marker as a text gets a text
 * that contains `seal`, by which the process that runs the isolate detects the mistake.
 */
export function makeSecretRef(seal: string): (name: unknown, options?: unknown) => object {
  const { freeze, create, keys } = Object;
  const { apply, defineProperty } = Reflect;
  const { exec } = RegExp.prototype;
  const BaseTypeError = TypeError;
  const pattern = /^[A-Z][A-Z0-9_]{0,99}$/;
  const known = ['prefix', 'suffix', 'basic'];
  const HOW =
    "ctx.secrets.ref takes the name of a secret, such as 'API_KEY', and { prefix?, suffix? } or { basic: { user } }.";

  const face = create(null);
  const show = function (this: { readonly $secret?: unknown }): string {
    return `[the secret ${typeof this.$secret === 'string' ? this.$secret : '?'}; a marker is no text; ${seal}]`;
  };
  defineProperty(face, 'toString', { value: freeze(show) });
  freeze(face);

  return freeze((name: unknown, options?: unknown): object => {
    if (typeof name !== 'string' || apply(exec, pattern, [name]) === null) throw new BaseTypeError(HOW);
    const marker = create(face);
    const put = (key: string, value: unknown) => defineProperty(marker, key, { value, enumerable: true });
    put('$secret', name);
    put('seal', seal);
    if (options !== undefined) {
      if (typeof options !== 'object' || options === null) throw new BaseTypeError(HOW);
      const given = keys(options);
      for (let at = 0; at < given.length; at += 1) {
        const key = given[at] as string;
        let fits = false;
        for (let one = 0; one < known.length; one += 1) if (known[one] === key) fits = true;
        if (!fits) throw new BaseTypeError(HOW);
        put(key, (options as Record<string, unknown>)[key]);
      }
    }
    return freeze(marker);
  });
}

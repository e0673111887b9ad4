import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { makeSecretRef } from './secret-refs.js';

const seal = 'c2VhbHNlYWxzZWFsc2VhbA00';

function inGuest(code: string): unknown {
  const text = `(function () { 'use strict'; const ref = (${makeSecretRef.toString()})(${JSON.stringify(seal)}); return ${code}; })()`;
  return JSON.parse(`${runInNewContext(`JSON.stringify(${text})`)}`);
}

describe('ctx.secrets.ref', () => {
  it('returns plain data that names the secret and the run', () => {
    expect(inGuest("ref('API_KEY')")).toEqual({ $secret: 'API_KEY', seal });
  });

  it('includes the text around the value', () => {
    expect(inGuest("[ref('A', { prefix: 'Bearer ', suffix: '!' }), ref('B', { basic: { user: 'u' } })]")).toEqual([
      { $secret: 'A', seal, prefix: 'Bearer ', suffix: '!' },
      { $secret: 'B', seal, basic: { user: 'u' } },
    ]);
  });

  it.each([
    `\`Bearer \${ref("API_KEY")}\``,
    '"" + ref("API_KEY")',
    'String(ref("API_KEY"))',
    '[ref("API_KEY")].join()',
  ])('returns a text that explains the mistake, in %s', (code) => {
    expect(inGuest(code)).toContain(`[the secret API_KEY; a marker is no text; ${seal}]`);
  });

  it.each(['ref()', 'ref(7)', 'ref("api_key")', 'ref("A", null)', 'ref("A", "Bearer ")', 'ref("A", { prefx: "B" })'])(
    'states its usage, for %s',
    (code) => {
      const said = inGuest(`(() => { try { return ${code}; } catch (error) { return error.message; } })()`);
      expect(said).toContain('ctx.secrets.ref takes the name of a secret');
    },
  );

  it('still works after guest code has replaced what it uses', () => {
    const spoiled =
      "(Object.create = Object.freeze = Reflect.apply = RegExp.prototype.exec = () => { throw 'spoiled'; }, ref('A'))";
    expect(inGuest(spoiled)).toEqual({ $secret: 'A', seal });
  });

  it('cannot be changed afterwards', () => {
    for (const change of ["marker.$secret = 'B'", 'marker.toJSON = () => 1', 'delete marker.seal'])
      expect(inGuest(`((marker) => { try { ${change}; } catch {} return marker; })(ref('A'))`)).toEqual({
        $secret: 'A',
        seal,
      });
  });
});

import { describe, expect, it } from '@jest/globals';
import { lacking } from './code-needs.js';

const nothing = { capabilities: [], identityMode: 'as_set_up', secrets: [] } as const;
const known = ['STRIPE_KEY', 'OTHER_KEY'];

describe('things that code names and the function lacks', () => {
  it('include a power, by the member that needs it', () => {
    const code = "await ctx.email.send({}); await ctx.sites['shop'].users.list()";
    expect(lacking(code, nothing, [])).toEqual([
      "The code uses ctx.email, which needs the power 'email'; the function does not have it.",
      "The code uses a site’s users, which needs the power 'users'; the function does not have it.",
    ]);
    expect(lacking(code, { ...nothing, capabilities: ['email', 'users'] }, [])).toEqual([]);
  });

  it('include Full data access, unless the identity mode gives it', () => {
    const code = "await ctx.service.tables.getRows('orders')";
    expect(lacking(code, nothing, [])).toHaveLength(1);
    expect(lacking(code, { ...nothing, identityMode: 'workspace' }, [])).toEqual([]);
  });

  it('include a secret that the workspace has, however its name is written', () => {
    expect(lacking("ctx.secrets.ref('STRIPE\\u005fKEY')", nothing, known)).toEqual([
      "The code uses the secret STRIPE_KEY, which is not on the function's list.",
    ]);
    const listed = [{ name: 'STRIPE_KEY', hosts: [] }];
    expect(lacking("ctx.secrets.ref('STRIPE_KEY')", { ...nothing, secrets: listed }, known)).toEqual([]);
    expect(lacking("// 'STRIPE_KEY'\nreturn 'NO_SECRET'", nothing, known)).toEqual([]);
  });

  it('are found as plain text in code that does not parse', () => {
    expect(lacking('return (STRIPE_KEY', nothing, known)).toHaveLength(1);
  });
});

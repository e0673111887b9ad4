import { engineRefusals } from '../../engine/refusals/engine.refusals.js';
import { type Refuse, refusing } from '../../kernel/refusals/refusal.js';
import { eachCall, invalid, refusal } from '../../kernel/refusals/refusal-entry.js';

export const secretsRefusals = {
  'env-var-not-found': refusal(
    'not-found',
    () => 'There is no such secret in this workspace; listEnvVars lists the secrets.',
  ),
  'env-var-exists': refusal(
    'conflict',
    (about: { name: string }) =>
      `A secret ${about.name} already exists; send overwrite true to replace its value, or choose another name.`,
  ),
  'env-var-name-reserved': invalid(
    eachCall,
    (about: { name: string }) =>
      `${about.name} is reserved for a setting, which code writes with ctx.env.set and can read; choose a name that does not begin with APP_.`,
  ),
  'env-var-in-use': refusal('conflict', (about: { name: string; functions: readonly string[] }) => {
    const shown = about.functions.slice(0, 5).map((name) => `'${name}'`);
    const more = about.functions.length - shown.length;
    const named = more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
    return `The secret ${about.name} is read with Full data access by ${named}; remove it from their secrets and code, or revoke Full data access, and then delete it.`;
  }),
};

const known = { ...engineRefusals, ...secretsRefusals };
export const refuse: Refuse<typeof known> = refusing(known);

import { engineRefusals } from '../../engine/refusals/engine.refusals.js';
import { type Refuse, refusing } from '../../kernel/refusals/refusal.js';
import { eachCall, invalid, refusal } from '../../kernel/refusals/refusal-entry.js';

/** What environment variables refuse. */
export const secretsRefusals = {
  'env-var-not-found': refusal(
    'not-found',
    () => 'There is no such secret in this workspace; listEnvVars shows those there are.',
  ),
  'env-var-exists': refusal(
    'conflict',
    (about: { name: string }) =>
      `There is a secret ${about.name} already; send overwrite true to give it a new value, or choose another name.`,
  ),
  'env-var-name-reserved': invalid(
    eachCall,
    (about: { name: string }) =>
      `${about.name} would be the name of a setting, which code writes with ctx.env.set and reads in the clear; choose a name for the secret that does not begin with APP_.`,
  ),
  'env-var-in-use': refusal('conflict', (about: { name: string; functions: readonly string[] }) => {
    const shown = about.functions.slice(0, 5).map((name) => `'${name}'`);
    const more = about.functions.length - shown.length;
    const named = more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
    return `The secret ${about.name} is read with Full data access by ${named}; take it out of their secrets and code, or take Full data access away, and delete it then.`;
  }),
};

const known = { ...engineRefusals, ...secretsRefusals };
export const refuse: Refuse<typeof known> = refusing(known);

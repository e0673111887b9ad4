import { engineRefusals } from '../../engine/refusals/engine.refusals.js';
import { type Refuse, refusalsOf, refusing } from '../../kernel/refusals/refusal.js';
import { eachCall, invalid, refusal } from '../../kernel/refusals/refusal-entry.js';

export const proxyRefusals = {
  'proxy-denied': refusal(
    'forbidden',
    () => 'Nothing was sent: you may not use the server proxy of this site; sign in, or ask its owner.',
  ),
  'proxy-busy': refusal(
    'limited',
    (about: { most: number }) =>
      `Nothing was sent: ${about.most} requests are already in progress, which is the limit; try again in a moment.`,
  ),
  'proxy-request-refused': invalid(eachCall, (about: { problem: string }) => `Nothing was sent: ${about.problem}`),
  'proxy-secret-unknown': invalid(
    eachCall,
    (about: { name: string }) =>
      `Nothing was sent: the site has no secret ${about.name} for {{secret:${about.name}}}; listEnvVars lists its secrets.`,
  ),
  'proxy-secret-denied': refusal('forbidden', (about: { problem: string }) => about.problem),
  'proxy-secret-shown': refusal(
    'forbidden',
    () =>
      'The response contains a secret and was withheld, because the secret is short enough to be guessed from what was hidden; give it a value of at least 20 random characters.',
  ),
  'proxy-not-followed': refusal('forbidden', (about: { problem: string }) => about.problem),
  'proxy-failed': refusal('failed', (about: { problem: string }) => about.problem),
};

const known = { ...engineRefusals, ...proxyRefusals };
export const refusalOf = refusalsOf(known);
export const refuse: Refuse<typeof known> = refusing(known);

import { type Refuse, refusing } from './refusal.js';
import { eachCall, invalid, refusal } from './refusal-entry.js';

export const kernelRefusals = {
  'listed-secret-moved': refusal(
    'conflict',
    () => 'A secret of this list was deleted, or its own hosts were restricted, since the card was created.',
  ),
  'run-not-allowed': refusal(
    'forbidden',
    (about: { name: string; who: string }) =>
      `The function '${about.name}' may not be started by ${about.who}; its accessRules.runBy states who may.`,
  ),
  'invalid-input': invalid(
    eachCall,
    (about: { paths: string }) => `The input does not fit: look at ${about.paths} and send the call again.`,
  ),
};

export const refuse: Refuse<typeof kernelRefusals> = refusing(kernelRefusals);

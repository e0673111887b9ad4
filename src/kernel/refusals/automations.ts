import { no } from './no.js';

export const automationsRefusals = {
  'function-not-found': no(
    'not-found',
    () => 'There is no such function in this workspace; listFunctions shows those there are.',
  ),
} as const;

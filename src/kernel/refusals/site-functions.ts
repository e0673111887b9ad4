import { eachCall, invalid, refusal } from './refusal-entry.js';

/** What functions of sites refuse. */
export const siteFunctionsRefusals = {
  'site-function-not-found': refusal(
    'not-found',
    () => 'Function not found: this site has no such function; listBackendFunctions shows those there are.',
  ),
  'site-run-not-found': refusal(
    'not-found',
    () => 'There is no such run of this site that has ended; listFunctionRuns shows those there are.',
  ),
  'data-function-without-code': invalid(
    eachCall,
    () => 'This is a data function, which has a definition instead of code; change that with updateDataFunction.',
  ),
  'no-data-function': invalid(
    eachCall,
    () => 'This function has code and no definition; change it with updateBackendFunction.',
  ),
  'definition-kind': invalid(
    'definition.kind',
    (about: { kind: string }) =>
      `The kind of a definition cannot change, and this one is ${about.kind}; make another data function.`,
  ),
  'data-limit': invalid(
    'definition.limit',
    (about: { most: number }) => `The limit of a data function is a whole number from 1 to ${about.most}.`,
  ),
  'data-field-gone': refusal(
    'conflict',
    (about: { name: string }) =>
      `The field that this data function names '${about.name}' is no longer in its table; save its definition again with updateDataFunction. \`fields\` lists those there are.`,
  ),
  'no-access-rules': refusal(
    'forbidden',
    (about: { name: string }) =>
      `No access rules configured: the function '${about.name}' says nobody may execute it, until it has an execute rule.`,
  ),
  'execute-refused': refusal(
    'forbidden',
    (about: { name: string }) => `You may not execute the function '${about.name}': its access rules do not let you.`,
  ),
  'site-not-served': refusal(
    'forbidden',
    (about: { name: string }) =>
      `The function '${about.name}' does not serve this site: its owner has to list the site in grants.bases.`,
  ),
  'nothing-to-keep-fixing': refusal(
    'conflict',
    (about: { name: string }) =>
      `The function '${about.name}' has no Full data access, so that its code needs no approval; save it as it is.`,
  ),
  'gate-chain': invalid(
    eachCall,
    (about: { limit: number; chain: readonly string[]; of?: string | undefined }) =>
      `The functions that ${about.of ?? 'this execute rule'} asks come back to one another, or stand more than ${about.limit} deep: ${about.chain.join(' → ')}. Let it ask a function that asks no other.`,
  ),
  'method-not-exposed': refusal(
    'forbidden',
    (about: { name: string }) =>
      `The function '${about.name}' is no method of its site: set exposed true with updateBackendFunction.`,
  ),
};

import { makeAborting } from './aborting.js';
import { makeCalls } from './calls.js';
import { makeCrypto } from './crypto.js';
import { makeDescribe } from './describe.js';
import { makeDomException } from './dom-exception.js';
import { makeFetch } from './fetch.js';
import { hardenGlobals } from './harden-globals.js';
import { makeReadAll } from './read-all.js';
import { makeSearchParams } from './search-params.js';
import { makeSecretRef } from './secret-refs.js';
import { startGuest } from './start-guest.js';
import { makeStructuredClone } from './structured-clone.js';
import { makeTextDecoder, makeTextEncoder } from './text-coding.js';
import { makeTimers } from './timers.js';
import { makeUrl } from './url.js';
import { offerWebGlobals } from './web-globals.js';

const parts = [
  hardenGlobals,
  makeDescribe,
  makeCalls,
  makeFetch,
  makeReadAll,
  makeSecretRef,
  makeTimers,
  offerWebGlobals,
  makeDomException,
  makeAborting,
  makeCrypto,
  makeStructuredClone,
  makeTextEncoder,
  makeTextDecoder,
  makeSearchParams,
  makeUrl,
];

/**
 * Source of a function that prepares a context for a run. It is assembled from the text of the sandbox's compiled
 * functions, so that these functions are typed and linted like other code. Strict mode hides the functions and their
 * receivers from stack inspection.
 */
export const PRELUDE = `(function () {
'use strict';
const parts = {
${parts.map((part) => `${part.name}: ${part.toString()}`).join(',\n')}
};
const startGuest = ${startGuest.toString()};
return (limits, host, params, context, names, captureLogs) =>
  startGuest(parts, JSON.parse(limits), host, params, context, names, captureLogs);
})()`;

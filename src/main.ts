import { keepCompiled } from './config/compile-cache.js';
import { oldNode } from './config/node-version.js';
import { onStopSignals } from './config/stop-signals.js';

// What it writes holds customers' data and secrets: nobody else on this machine reads it.
process.umask(0o077);

const problem = oldNode(process.versions.node);
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}

const signals = onStopSignals();
await keepCompiled();
// Only now: the modules need what an older Node does not have.
const { serve } = await import('./serve.js');
await serve(signals);

import { useCompileCache } from './config/compile-cache.js';
import { oldNode } from './config/node-version.js';
import { onStopSignals } from './config/stop-signals.js';

// Files that this process writes contain customers' data and secrets, so only its own user may read them.
process.umask(0o077);

const problem = oldNode(process.versions.node);
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}

const signals = onStopSignals();
await useCompileCache();
// Imported only after the check above, because the modules need features that an older Node does not have.
const { serve } = await import('./serve.js');
await serve(signals);

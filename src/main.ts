import { oldNode } from './config/node-version.js';

const problem = oldNode(process.versions.node);
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exit(1);
}

// Only now: the modules need what an older Node does not have.
const { serve } = await import('./serve.js');
await serve();

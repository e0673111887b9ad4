// Preloaded into the measured service. Appends the longest stall of the main thread in each quarter of a second to a
// file.
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolution = 5;
const delays = monitorEventLoopDelay({ resolution });
delays.enable();
setInterval(() => {
  appendFileSync(process.env['STALLS_FILE'], `${Date.now()} ${Math.max(0, delays.max / 1e6 - resolution)}\n`);
  delays.reset();
}, 250).unref();

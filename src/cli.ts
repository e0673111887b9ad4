import { useCompileCache } from './config/compile-cache.js';

// Files that this process creates, such as backups and exports, are private to its user.
process.umask(0o077);

await useCompileCache();
// Imported after both steps above, so that the modules of the commands are loaded under this umask and from the compile
// cache.
const { runCommand } = await import('./cli/commands.js');
process.exitCode = await runCommand(process.argv.slice(2), process.env, {
  out: (line) => process.stdout.write(`${line}\n`),
  error: (line) => process.stderr.write(`${line}\n`),
});

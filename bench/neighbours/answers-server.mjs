// A host for ctx.fetch whose answers all are 3 MB of text.
import { createServer } from 'node:http';

const text = 'lorem ipsum 0123456789 '.repeat(Math.floor((3 * 1024 * 1024) / 23));
const server = createServer((_request, response) => response.setHeader('content-type', 'text/plain').end(text));
server.listen(0, '127.0.0.1', () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));

// A bare `ws` server that sends each message to all connections: the cost of fan-out without the product.
import { WebSocketServer } from 'ws';

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false, backlog: 4_096 });
server.on('connection', (from) => {
  from.on('message', (data) => {
    const { type, channel, data: told } = JSON.parse(String(data));
    if (type !== 'publish') return;
    const text = JSON.stringify({ type: 'message', channel, data: told });
    for (const client of server.clients) client.send(text);
  });
});
server.on('listening', () => process.send({ url: `ws://127.0.0.1:${server.address().port}` }));
process.on('disconnect', () => process.exit(0));

// What API Gateway does in front of a Lambda: makes of a request an event of its format 2.0, and of
// the result a response. The Lambda is that of the folder in which this is started.
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

const { handler } = await import(pathToFileURL('lambda.ts').href);

const server = createServer(async (request, response) => {
  // The route is "ANY /callbacks/{secret}". A handler that fails would end this process, and its
  // tests.
  const [rawPath = ''] = (request.url ?? '').split('?');
  if (!/^\/callbacks\/[^/]*\/?$/.test(rawPath)) return response.writeHead(404).end();
  const sent = await buffer(request).catch(() => null);
  if (sent === null) return; // the caller has hung up
  const { method, headers } = request;
  const requestContext = { http: { method } };
  const event = { rawPath, headers, requestContext, ...eventOf(sent) };
  const { statusCode, body } = await handler(event);
  response.writeHead(statusCode).end(body);
});

/** What the handler reads of an event. @param {Buffer} body @returns {any} */
function eventOf(body) {
  const text = body.toString('utf8');
  // The gateway is free to choose, here by the length; but bytes that aren't text can only come in
  // base64.
  const isBase64Encoded = body.length % 2 === 0 || !Buffer.from(text).equals(body);
  // An empty body is left out of the event.
  if (body.length === 0) return { isBase64Encoded };
  return { body: isBase64Encoded ? body.toString('base64') : text, isBase64Encoded };
}

server.listen(Number(process.env.PORT), '127.0.0.1');

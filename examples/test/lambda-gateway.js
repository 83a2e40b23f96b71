// What API Gateway does in front of a Lambda: makes of a request an event of its format 2.0, and of
// the result a response. The Lambda is that of the folder in which this is started.
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

const { handler } = await import(pathToFileURL('lambda.ts').href);

const server = createServer(async (request, response) => {
  // The route is "ANY /callbacks/{secret}".
  const [rawPath = ''] = (request.url ?? '').split('?');
  if (!/^\/callbacks\/[^/]*\/?$/.test(rawPath)) return response.writeHead(404).end();
  const sent = await buffer(request).catch(() => null);
  if (sent === null) return; // the caller has hung up
  // The gateway is free to choose, here by the length; but bytes that aren't text can only come in
  // base64.
  const isBase64Encoded = sent.length % 2 === 0 || !Buffer.from(`${sent}`).equals(sent);
  const body = sent.toString(isBase64Encoded ? 'base64' : 'utf8');
  const { method, headers } = request;
  const { statusCode, body: text } = await handler({
    rawPath,
    headers,
    requestContext: { http: { method } },
    isBase64Encoded,
    ...(body !== '' && { body }), // an empty body is left out of the event
  });
  response.writeHead(statusCode).end(text);
});

server.listen(Number(process.env.PORT), '127.0.0.1');

/**
 * Other ways to the receiver: where it is mounted, and the path to it in front of the secret.
 *
 * @type {Record<string, { path: string, onEachChange?: boolean, code: string }>}
 */
export const MOUNTS = {
  'Express, on two routers and a whole path': {
    path: '/payments/v1/callbacks/',
    onEachChange: true, // Express sets `originalUrl`
    code: `import express, { Router } from 'express';
      const [app, outer, inner] = [express(), Router(), Router()];
      inner.use('/callbacks/:secret', receiver.node); // cuts off the secret as well
      outer.use('/v1', inner);
      app.use('/payments', outer).listen(0, '127.0.0.1');`,
  },
  'Express, by a rewritten URL': {
    path: '/old/',
    code: `import express from 'express';
      const app = express();
      app.use((request, _, next) => {
        request.url = '/callbacks/any';
        next();
      });
      app.all('/callbacks/:secret', receiver.node).listen(0, '127.0.0.1');`,
  },
  'Fastify, in a plugin with a prefix, by a rewritten URL': {
    path: '/old/',
    onEachChange: true, // Fastify changes `url`
    code: `import fastify from 'fastify';
      const app = fastify({
        routerOptions: { ignoreTrailingSlash: true },
        rewriteUrl: ({ url }) => url.replace('/old/', '/payments/callbacks/'),
      });
      app.register(async (plugin) => {
        plugin.addHook('onRequest', async (request, reply) => {
          reply.hijack();
          await receiver.node(request.raw, reply.raw);
        });
        plugin.all('/callbacks/:secret', async () => {});
      }, { prefix: '/payments' });
      await app.listen({ port: 0, host: '127.0.0.1' });`,
  },
  'Koa, by a rewritten path': {
    path: '/old/',
    code: `import Koa from 'koa';
      const app = new Koa();
      app.use((context) => {
        context.path = context.path.replace('/old/', '/callbacks/');
        context.respond = false;
        return receiver.node(context.req, context.res);
      });
      app.listen(0, '127.0.0.1');`,
  },
  'Hono, in an app that is mounted on another': {
    path: '/payments/callbacks/',
    code: `import { serve } from '@hono/node-server';
      import { Hono } from 'hono';
      const inner = new Hono({ strict: false });
      inner.all('/callbacks/:secret', (context) => receiver.fetch(context.req.raw));
      const app = new Hono({ strict: false }).route('/payments', inner);
      serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });`,
  },
  'h3, with a base': {
    path: '/payments/callbacks/',
    code: `import { H3, serve, withBase } from 'h3';
      const inner = new H3().all('/callbacks/:secret', ({ req }) => receiver.fetch(req));
      const app = new H3().use('/payments/**', withBase('/payments', inner.handler));
      serve(app, { port: 0, hostname: '127.0.0.1' });`,
  },
  'NestJS, with a global prefix': {
    path: '/callbacks/',
    code: `import { NestFactory } from '@nestjs/core';
      import { AppModule } from './app.module.ts';
      const app = await NestFactory.create(AppModule);
      app.setGlobalPrefix('payments');
      app.getHttpAdapter().all('/callbacks/:secret', receiver.node);
      await app.listen(0, '127.0.0.1');`,
  },
};

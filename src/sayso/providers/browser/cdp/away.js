// Makes requests of a worker to these ports fail. The value of this file is a function, which gets the ports.
(...ports) => {
  const usual = { "http:": "80", "ws:": "80", "https:": "443", "wss:": "443" };
  const stopped = () => new DOMException("It was stopped.", "SecurityError");
  const leads = (to) => ports.includes(Number(to.port || usual[to.protocol]));
  const away = (url) => {
    const to = new URL(url, location.href);
    if (leads(to)) throw stopped();
    return to.href;
  };
  for (const name of ["WebSocket", "WebSocketStream", "EventSource"]) {
    const real = globalThis[name];
    if (!real) continue;
    const guarded = new Proxy(real, {
      construct: (target, [url, ...rest], made) => Reflect.construct(target, [away(url), ...rest], made),
    });
    real.prototype.constructor = guarded;
    globalThis[name] = guarded;
  }
  const load = globalThis.importScripts;
  if (load) globalThis.importScripts = (...urls) => load.apply(globalThis, urls.map(away));
  const ask = globalThis.fetch;
  globalThis.fetch = async (wanted, ...rest) => {
    if (wanted instanceof Request) {
      if (leads(new URL(wanted.url))) throw stopped();
      return ask(wanted, ...rest);
    }
    return ask(away(wanted), ...rest);
  };
}

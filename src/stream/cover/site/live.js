// Keeps the "Right now" line: the server's clock, who is reading, and how long a word takes there and back.
(() => {
  const line = document.getElementById("live");
  let news = null;
  let delay = null;
  let asked = 0;
  let wait = 1000;

  function show() {
    if (!news) return;
    const clock = new Date(news.time * 1000).toLocaleTimeString();
    const readers = news.visitors === 1 ? "You are the only reader" : `${news.visitors} people are reading`;
    const trip = delay === null ? "" : ` A word to the server and back takes ${delay} ms.`;
    line.textContent = `${clock} here. ${readers}.${trip}`;
  }

  function connect() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/live`);
    const timer = setInterval(() => {
      if (socket.readyState !== WebSocket.OPEN) return;
      asked = performance.now();
      socket.send("ping " + Math.floor(asked));
    }, 5000);
    socket.onopen = () => { wait = 1000; };
    socket.onmessage = (event) => {
      if (event.data.startsWith("pong ")) delay = Math.round(performance.now() - asked);
      else news = JSON.parse(event.data);
      show();
    };
    socket.onclose = () => {
      clearInterval(timer);
      line.textContent = "The line is down, trying again.";
      setTimeout(connect, wait);
      wait = Math.min(wait * 2, 60000);
    };
  }

  connect();
})();

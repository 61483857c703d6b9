package io.fairlead.benchmarks.contest;

import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

/** JeroMQ over TCP: a pair of sockets, or a publisher that waits for its subscriber. A message is an array that JeroMQ keeps. */
final class JeroMqLink implements Link {
    private static final long AWAIT_MS = 1000;
    private static final String HOST = "tcp://127.0.0.1:";
    /** What the subscriber's subscription has reached the publisher by. */
    private static final byte[] HELLO = {1};

    private final ZContext context;
    private final ZMQ.Socket socket;
    private final ZMQ.Poller poller;
    private int size;
    private long expected;

    private JeroMqLink(ZContext context, ZMQ.Socket socket) {
        this.context = context;
        this.socket = socket;
        poller = context.createPoller(1);
        poller.register(socket, ZMQ.Poller.POLLIN);
    }

    static JeroMqLink listen(Address address) {
        ZContext context = new ZContext(1);
        ZMQ.Socket socket = context.createSocket(SocketType.PAIR);
        address.tell(socket.bindToRandomPort(HOST.substring(0, HOST.length() - 1)));
        return new JeroMqLink(context, socket);
    }

    static JeroMqLink connect(int port) {
        ZContext context = new ZContext(1);
        ZMQ.Socket socket = context.createSocket(SocketType.PAIR);
        socket.connect(HOST + port);
        return new JeroMqLink(context, socket);
    }

    static JeroMqLink publish(Address address) {
        ZContext context = new ZContext(1);
        ZMQ.Socket socket = context.createSocket(SocketType.XPUB);
        // Waits for the subscriber instead of dropping what it has no room for.
        socket.setXpubNoDrop(true);
        address.tell(socket.bindToRandomPort(HOST.substring(0, HOST.length() - 1)));
        byte[] subscribed = socket.recv();
        if (subscribed.length == 0 || subscribed[0] != HELLO[0]) {
            throw new IllegalStateException("not a subscription");
        }
        return new JeroMqLink(context, socket);
    }

    static JeroMqLink subscribe(int port) {
        ZContext context = new ZContext(1);
        ZMQ.Socket socket = context.createSocket(SocketType.SUB);
        socket.subscribe(new byte[0]);
        socket.connect(HOST + port);
        return new JeroMqLink(context, socket);
    }

    @Override
    public void begin(int bytes, int sends, int receives, int inFlight) {
        size = bytes;
        expected = 0;
    }

    @Override
    public void send(long number) {
        byte[] message = new byte[size];
        Payload.write(Payload.wrap(message), 0, size, number);
        if (!socket.send(message)) {
            throw new ZMQException(socket.errno());
        }
    }

    @Override
    public void flush() {}

    @Override
    public int poll() {
        byte[] message = socket.recv(ZMQ.DONTWAIT);
        if (message == null) {
            return 0;
        }
        Payload.length(size, message.length);
        Payload.check(Payload.wrap(message), 0, size, expected);
        expected++;
        return 1;
    }

    @Override
    public void await() {
        poller.poll(AWAIT_MS);
    }

    @Override
    public void close() {
        poller.close();
        context.close();
    }
}

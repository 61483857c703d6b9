package io.fairlead.benchmarks.contest;

import io.fairlead.cli.measure.Work;
import java.util.Optional;
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
    private final String port;
    private int size;
    private long expected;

    private JeroMqLink(SocketType type, Optional<String> address) {
        context = new ZContext(1);
        socket = context.createSocket(type);
        if (type == SocketType.XPUB) {
            // Waits for the subscriber instead of dropping what there is no capacity for.
            socket.setXpubNoDrop(true);
        } else if (type == SocketType.SUB) {
            socket.subscribe(new byte[0]);
        }
        port = address.isEmpty() ? String.valueOf(socket.bindToRandomPort(HOST.substring(0, HOST.length() - 1))) : "";
        address.ifPresent(known -> socket.connect(HOST + known));
        poller = context.createPoller(1);
        poller.register(socket, ZMQ.Poller.POLLIN);
    }

    static JeroMqLink pair(Optional<String> address) {
        return new JeroMqLink(SocketType.PAIR, address);
    }

    static JeroMqLink pubSub(Optional<String> address) {
        return new JeroMqLink(address.isEmpty() ? SocketType.XPUB : SocketType.SUB, address);
    }

    @Override
    public String address() {
        return port;
    }

    @Override
    public void awaitPeer() {
        if (socket.getSocketType() == SocketType.XPUB) {
            byte[] subscribed = socket.recv();
            if (subscribed.length == 0 || subscribed[0] != HELLO[0]) {
                throw new IllegalStateException("not a subscription");
            }
        }
    }

    @Override
    public void begin(Work work, int sends, int receives, int inFlight) {
        size = work.size();
        expected = 0;
    }

    @Override
    public void send(long number) {
        if (!socket.send(Payload.bytes(size, number))) {
            throw new ZMQException(socket.errno());
        }
    }

    @Override
    public int poll() {
        byte[] message = socket.recv(ZMQ.DONTWAIT);
        if (message == null) {
            return 0;
        }
        Payload.check(message, size, expected);
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

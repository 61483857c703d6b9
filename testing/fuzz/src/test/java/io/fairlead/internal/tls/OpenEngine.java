package io.fairlead.internal.tls;

import io.fairlead.fuzz.Expect;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSession;

/**
 * An engine that hides nothing, so that an input says what is inside of its records: data, the end of the handshake, requests for tasks and answers, alerts, and what
 * engines throw. It is strict about how it is called, as real ones are.
 */
final class OpenEngine extends SSLEngine {
    static final int HEADER = 5;
    static final int PLAIN_MAX = 1 << 14;

    static final int NOTHING = 20;
    static final int ALERT = 21;
    static final int HANDSHAKE = 22;
    static final int DATA = 23;
    static final int THROWS = 24;

    /** Bits of the first byte of a record of the handshake. */
    static final int FINISHES = 1;

    static final int WANTS_TASK = 2;
    static final int WANTS_ANSWER = 4;

    private static final byte[] ANSWER = {HANDSHAKE, 3, 3, 0, 1, 0};
    private static final byte[] END = {ALERT, 3, 3, 0, 1, 1};
    private static final int PACKET_MAX = HEADER + PLAIN_MAX + 256;

    private static final SSLSession SESSION = (SSLSession) Proxy.newProxyInstance(
            OpenEngine.class.getClassLoader(),
            new Class<?>[] {SSLSession.class},
            (_, method, _) -> switch (method.getName()) {
                case "getPacketBufferSize" -> PACKET_MAX;
                case "getApplicationBufferSize" -> PLAIN_MAX;
                default -> throw new UnsupportedOperationException(method.getName());
            });

    private final boolean isConnector;
    private boolean isShaking = true;
    private int answers;
    private boolean hasTask;
    private boolean isInboundDone;
    private boolean isEnding;
    private boolean isOutboundDone;

    OpenEngine(boolean isConnector) {
        this.isConnector = isConnector;
        this.answers = isConnector ? 1 : 0;
    }

    @Override
    public HandshakeStatus getHandshakeStatus() {
        if (hasTask) {
            return HandshakeStatus.NEED_TASK;
        }
        if (answers > 0 || (isEnding && !isOutboundDone)) {
            return HandshakeStatus.NEED_WRAP;
        }
        return isShaking && !isInboundDone ? HandshakeStatus.NEED_UNWRAP : HandshakeStatus.NOT_HANDSHAKING;
    }

    private SSLEngineResult result(Status status, int consumed, int produced) {
        return new SSLEngineResult(status, getHandshakeStatus(), consumed, produced);
    }

    @Override
    public SSLEngineResult unwrap(ByteBuffer source, ByteBuffer[] targets, int offset, int length) throws SSLException {
        ByteBuffer target = targets[offset];
        if (isInboundDone) {
            return result(Status.CLOSED, 0, 0);
        }
        if (hasTask || (isShaking && answers > 0)) {
            return result(Status.OK, 0, 0);
        }
        if (source.remaining() < HEADER) {
            return result(Status.BUFFER_UNDERFLOW, 0, 0);
        }
        int type = source.get(source.position());
        int count = Short.toUnsignedInt(source.getShort(source.position() + 3));
        Expect.that(type >= NOTHING && type <= THROWS, "what is no record got to the engine");
        Expect.that(count <= PACKET_MAX - HEADER, "a record that is too long got to the engine");
        if (source.remaining() < HEADER + count) {
            return result(Status.BUFFER_UNDERFLOW, 0, 0);
        }
        if (type == DATA && !isShaking && target.remaining() < count) {
            return result(Status.BUFFER_OVERFLOW, 0, 0);
        }
        byte[] content = new byte[count];
        source.position(source.position() + HEADER);
        source.get(content);
        return take(type, content, target);
    }

    private SSLEngineResult take(int type, byte[] content, ByteBuffer target) throws SSLException {
        int first = content.length == 0 ? 0 : content[0];
        int consumed = HEADER + content.length;
        switch (type) {
            case DATA -> {
                if (isShaking) {
                    throw new SSLHandshakeException("data inside of the handshake");
                }
                if (content.length > PLAIN_MAX) {
                    throw new SSLException("a record of " + content.length + " bytes");
                }
                target.put(content);
                return result(Status.OK, consumed, content.length);
            }
            case HANDSHAKE -> {
                isShaking &= (first & FINISHES) == 0;
                hasTask = (first & WANTS_TASK) != 0;
                answers += (first & WANTS_ANSWER) != 0 ? 1 : 0;
            }
            case ALERT -> {
                if ((first & 1) == 0) {
                    throw new SSLException("Received fatal alert: " + text(content));
                }
                isInboundDone = true;
                return result(Status.CLOSED, consumed, 0);
            }
            case THROWS -> throw new IllegalStateException(text(content));
            default -> {}
        }
        return result(Status.OK, consumed, 0);
    }

    private static String text(byte[] content) {
        return new String(content, StandardCharsets.ISO_8859_1);
    }

    @Override
    public SSLEngineResult wrap(ByteBuffer[] sources, int offset, int length, ByteBuffer target) throws SSLException {
        if (isOutboundDone) {
            return result(Status.CLOSED, 0, 0);
        }
        if (target.remaining() < PACKET_MAX) {
            return result(Status.BUFFER_OVERFLOW, 0, 0);
        }
        if (hasTask) {
            return result(Status.OK, 0, 0);
        }
        if (answers > 0) {
            answers--;
            target.put(ANSWER);
            return result(Status.OK, 0, ANSWER.length);
        }
        if (isEnding) {
            isOutboundDone = true;
            target.put(END);
            return result(Status.CLOSED, 0, END.length);
        }
        if (isShaking) {
            return result(Status.OK, 0, 0);
        }
        ByteBuffer source = sources[offset];
        int count = Math.min(PLAIN_MAX, source.remaining());
        target.put((byte) DATA).put((byte) 3).put((byte) 3).putShort((short) count);
        target.put(target.position(), source, source.position(), count);
        target.position(target.position() + count);
        source.position(source.position() + count);
        return result(Status.OK, count, HEADER + count);
    }

    @Override
    public Runnable getDelegatedTask() {
        if (!hasTask) {
            return null;
        }
        hasTask = false;
        return () -> {};
    }

    @Override
    public void closeInbound() {
        isInboundDone = true;
    }

    @Override
    public boolean isInboundDone() {
        return isInboundDone;
    }

    @Override
    public void closeOutbound() {
        isEnding = true;
    }

    @Override
    public boolean isOutboundDone() {
        return isOutboundDone;
    }

    @Override
    public SSLSession getSession() {
        return SESSION;
    }

    @Override
    public void beginHandshake() {
        // It begins by itself.
    }

    @Override
    public boolean getUseClientMode() {
        return isConnector;
    }

    @Override
    public String[] getSupportedCipherSuites() {
        throw unused();
    }

    @Override
    public String[] getEnabledCipherSuites() {
        throw unused();
    }

    @Override
    public void setEnabledCipherSuites(String[] suites) {
        throw unused();
    }

    @Override
    public String[] getSupportedProtocols() {
        throw unused();
    }

    @Override
    public String[] getEnabledProtocols() {
        throw unused();
    }

    @Override
    public void setEnabledProtocols(String[] protocols) {
        throw unused();
    }

    @Override
    public void setUseClientMode(boolean mode) {
        throw unused();
    }

    @Override
    public void setNeedClientAuth(boolean need) {
        throw unused();
    }

    @Override
    public boolean getNeedClientAuth() {
        throw unused();
    }

    @Override
    public void setWantClientAuth(boolean want) {
        throw unused();
    }

    @Override
    public boolean getWantClientAuth() {
        throw unused();
    }

    @Override
    public void setEnableSessionCreation(boolean flag) {
        throw unused();
    }

    @Override
    public boolean getEnableSessionCreation() {
        throw unused();
    }

    private static UnsupportedOperationException unused() {
        return new UnsupportedOperationException("an engine that is given to a connection is configured");
    }
}

package io.fairlead.netty;

import io.fairlead.PathPolicy;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.SocketChannelConfig;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The options of a {@link FairleadSocketChannel}. Some options of TCP sockets are stored and have no effect, so that applications that set them need no
 * change: {@code TCP_NODELAY}, {@code SO_KEEPALIVE}, {@code SO_SNDBUF}, {@code SO_RCVBUF}, {@code SO_REUSEADDR}, {@code IP_TOS}.
 */
final class FairleadSocketChannelConfig extends DefaultChannelConfig implements SocketChannelConfig {
    private final Runnable readCleared;
    private volatile boolean allowHalfClosure;
    private volatile boolean tcpNoDelay = true;
    private volatile boolean keepAlive;
    private volatile boolean reuseAddress;
    private volatile int soLinger = -1;
    private volatile int sendBufferSize = 64 << 10;
    private volatile int receiveBufferSize = 64 << 10;
    private volatile int trafficClass;
    private volatile @Nullable PathPolicy pathPolicy;

    /** The channel's options; the task runs, on any thread, when automatic reads are switched off. */
    FairleadSocketChannelConfig(SocketChannel channel, Runnable readCleared) {
        super(channel);
        this.readCleared = readCleared;
    }

    /** The policy for the path; null if the context's configuration decides. */
    @Nullable PathPolicy pathPolicy() {
        return pathPolicy;
    }

    @Override
    protected void autoReadCleared() {
        readCleared.run();
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(
                super.getOptions(),
                ChannelOption.SO_RCVBUF,
                ChannelOption.SO_SNDBUF,
                ChannelOption.TCP_NODELAY,
                ChannelOption.SO_KEEPALIVE,
                ChannelOption.SO_REUSEADDR,
                ChannelOption.SO_LINGER,
                ChannelOption.IP_TOS,
                ChannelOption.ALLOW_HALF_CLOSURE,
                FairleadChannelOption.PATH_POLICY);
    }

    @SuppressWarnings({"unchecked", "NullAway"
    }) // An option's type parameter is the type of its values; a value can be null.
    @Override
    public <T> T getOption(ChannelOption<T> option) {
        Object value;
        if (option.equals(ChannelOption.SO_RCVBUF)) {
            value = getReceiveBufferSize();
        } else if (option.equals(ChannelOption.SO_SNDBUF)) {
            value = getSendBufferSize();
        } else if (option.equals(ChannelOption.TCP_NODELAY)) {
            value = isTcpNoDelay();
        } else if (option.equals(ChannelOption.SO_KEEPALIVE)) {
            value = isKeepAlive();
        } else if (option.equals(ChannelOption.SO_REUSEADDR)) {
            value = isReuseAddress();
        } else if (option.equals(ChannelOption.SO_LINGER)) {
            value = getSoLinger();
        } else if (option.equals(ChannelOption.IP_TOS)) {
            value = getTrafficClass();
        } else if (option.equals(ChannelOption.ALLOW_HALF_CLOSURE)) {
            value = isAllowHalfClosure();
        } else if (option.equals(FairleadChannelOption.PATH_POLICY)) {
            value = pathPolicy;
        } else {
            return super.getOption(option);
        }
        return (T) value;
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (option.equals(ChannelOption.SO_RCVBUF)) {
            setReceiveBufferSize((Integer) value);
        } else if (option.equals(ChannelOption.SO_SNDBUF)) {
            setSendBufferSize((Integer) value);
        } else if (option.equals(ChannelOption.TCP_NODELAY)) {
            setTcpNoDelay((Boolean) value);
        } else if (option.equals(ChannelOption.SO_KEEPALIVE)) {
            setKeepAlive((Boolean) value);
        } else if (option.equals(ChannelOption.SO_REUSEADDR)) {
            setReuseAddress((Boolean) value);
        } else if (option.equals(ChannelOption.SO_LINGER)) {
            setSoLinger((Integer) value);
        } else if (option.equals(ChannelOption.IP_TOS)) {
            setTrafficClass((Integer) value);
        } else if (option.equals(ChannelOption.ALLOW_HALF_CLOSURE)) {
            setAllowHalfClosure((Boolean) value);
        } else if (option.equals(FairleadChannelOption.PATH_POLICY)) {
            pathPolicy = (PathPolicy) value;
        } else {
            return super.setOption(option, value);
        }
        return true;
    }

    @Override
    public boolean isAllowHalfClosure() {
        return allowHalfClosure;
    }

    @Override
    public FairleadSocketChannelConfig setAllowHalfClosure(boolean allowed) {
        allowHalfClosure = allowed;
        return this;
    }

    @Override
    public boolean isTcpNoDelay() {
        return tcpNoDelay;
    }

    @Override
    public FairleadSocketChannelConfig setTcpNoDelay(boolean noDelay) {
        tcpNoDelay = noDelay;
        return this;
    }

    @Override
    public int getSoLinger() {
        return soLinger;
    }

    @Override
    public FairleadSocketChannelConfig setSoLinger(int seconds) {
        soLinger = seconds;
        return this;
    }

    @Override
    public int getSendBufferSize() {
        return sendBufferSize;
    }

    @Override
    public FairleadSocketChannelConfig setSendBufferSize(int size) {
        sendBufferSize = size;
        return this;
    }

    @Override
    public int getReceiveBufferSize() {
        return receiveBufferSize;
    }

    @Override
    public FairleadSocketChannelConfig setReceiveBufferSize(int size) {
        receiveBufferSize = size;
        return this;
    }

    @Override
    public boolean isKeepAlive() {
        return keepAlive;
    }

    @Override
    public FairleadSocketChannelConfig setKeepAlive(boolean kept) {
        keepAlive = kept;
        return this;
    }

    @Override
    public int getTrafficClass() {
        return trafficClass;
    }

    @Override
    public FairleadSocketChannelConfig setTrafficClass(int wanted) {
        trafficClass = wanted;
        return this;
    }

    @Override
    public boolean isReuseAddress() {
        return reuseAddress;
    }

    @Override
    public FairleadSocketChannelConfig setReuseAddress(boolean reused) {
        reuseAddress = reused;
        return this;
    }

    @Override
    public FairleadSocketChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this;
    }

    @Override
    public FairleadSocketChannelConfig setConnectTimeoutMillis(int timeout) {
        super.setConnectTimeoutMillis(timeout);
        return this;
    }

    @Deprecated
    @Override
    public FairleadSocketChannelConfig setMaxMessagesPerRead(int count) {
        super.setMaxMessagesPerRead(count);
        return this;
    }

    @Override
    public FairleadSocketChannelConfig setWriteSpinCount(int count) {
        super.setWriteSpinCount(count);
        return this;
    }

    @Override
    public FairleadSocketChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public FairleadSocketChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public FairleadSocketChannelConfig setAutoRead(boolean read) {
        super.setAutoRead(read);
        return this;
    }

    @Override
    public FairleadSocketChannelConfig setAutoClose(boolean closed) {
        super.setAutoClose(closed);
        return this;
    }

    @Override
    public FairleadSocketChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }

    @Override
    public FairleadSocketChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark mark) {
        super.setWriteBufferWaterMark(mark);
        return this;
    }
}

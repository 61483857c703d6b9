package io.fairlead.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.ServerSocketChannelConfig;
import io.netty.util.NetUtil;
import java.util.Map;

/** The options of a {@link FairleadServerSocketChannel}. Options of TCP sockets are stored and have no effect. */
final class FairleadServerSocketChannelConfig extends DefaultChannelConfig implements ServerSocketChannelConfig {
    private final Runnable readCleared;
    private volatile int backlog = NetUtil.SOMAXCONN;
    private volatile boolean reuseAddress = true;
    private volatile int receiveBufferSize = 64 << 10;

    /** The channel's options; the task runs, on any thread, when automatic reads are switched off. */
    FairleadServerSocketChannelConfig(ServerSocketChannel channel, Runnable readCleared) {
        super(channel, new ServerChannelRecvByteBufAllocator());
        this.readCleared = readCleared;
    }

    @Override
    protected void autoReadCleared() {
        readCleared.run();
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        return getOptions(
                super.getOptions(), ChannelOption.SO_RCVBUF, ChannelOption.SO_REUSEADDR, ChannelOption.SO_BACKLOG);
    }

    @SuppressWarnings("unchecked") // An option's type parameter is the type of its values.
    @Override
    public <T> T getOption(ChannelOption<T> option) {
        Object value;
        if (option.equals(ChannelOption.SO_RCVBUF)) {
            value = getReceiveBufferSize();
        } else if (option.equals(ChannelOption.SO_REUSEADDR)) {
            value = isReuseAddress();
        } else if (option.equals(ChannelOption.SO_BACKLOG)) {
            value = getBacklog();
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
        } else if (option.equals(ChannelOption.SO_REUSEADDR)) {
            setReuseAddress((Boolean) value);
        } else if (option.equals(ChannelOption.SO_BACKLOG)) {
            setBacklog((Integer) value);
        } else {
            return super.setOption(option, value);
        }
        return true;
    }

    @Override
    public int getBacklog() {
        return backlog;
    }

    @Override
    public FairleadServerSocketChannelConfig setBacklog(int length) {
        backlog = length;
        return this;
    }

    @Override
    public boolean isReuseAddress() {
        return reuseAddress;
    }

    @Override
    public FairleadServerSocketChannelConfig setReuseAddress(boolean reused) {
        reuseAddress = reused;
        return this;
    }

    @Override
    public int getReceiveBufferSize() {
        return receiveBufferSize;
    }

    @Override
    public FairleadServerSocketChannelConfig setReceiveBufferSize(int size) {
        receiveBufferSize = size;
        return this;
    }

    @Override
    public FairleadServerSocketChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this;
    }

    @Override
    public FairleadServerSocketChannelConfig setConnectTimeoutMillis(int timeout) {
        super.setConnectTimeoutMillis(timeout);
        return this;
    }

    @Deprecated
    @Override
    public FairleadServerSocketChannelConfig setMaxMessagesPerRead(int count) {
        super.setMaxMessagesPerRead(count);
        return this;
    }

    @Override
    public FairleadServerSocketChannelConfig setWriteSpinCount(int count) {
        super.setWriteSpinCount(count);
        return this;
    }

    @Override
    public FairleadServerSocketChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public FairleadServerSocketChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public FairleadServerSocketChannelConfig setAutoRead(boolean read) {
        super.setAutoRead(read);
        return this;
    }

    @Override
    public FairleadServerSocketChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }

    @Deprecated
    @Override
    public FairleadServerSocketChannelConfig setWriteBufferHighWaterMark(int mark) {
        super.setWriteBufferHighWaterMark(mark);
        return this;
    }

    @Deprecated
    @Override
    public FairleadServerSocketChannelConfig setWriteBufferLowWaterMark(int mark) {
        super.setWriteBufferLowWaterMark(mark);
        return this;
    }

    @Override
    public FairleadServerSocketChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark mark) {
        super.setWriteBufferWaterMark(mark);
        return this;
    }
}

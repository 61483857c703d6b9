package io.fairlead.netty;

import io.fairlead.PathPolicy;
import io.netty.channel.ChannelOption;

/** Options of Fairlead's channels, in addition to Netty's options of all socket channels. */
public final class FairleadChannelOption {
    /**
     * The policy for the path of a {@link FairleadSocketChannel} that connects, such as {@link PathPolicy#TCP_ONLY}. Without this option the key
     * {@code policy} of the context's configuration decides.
     */
    public static final ChannelOption<PathPolicy> PATH_POLICY =
            ChannelOption.valueOf(FairleadChannelOption.class, "PATH_POLICY");

    private FairleadChannelOption() {}
}

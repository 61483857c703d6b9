package io.fairlead.netty;

import io.fairlead.PathPolicy;
import io.netty.channel.ChannelOption;

/** Options of Fairlead's channels beside those of all socket channels. */
public final class FairleadChannelOption {
    /**
     * Which paths a {@link FairleadSocketChannel} that connects may take, such as {@link PathPolicy#TCP_ONLY}. Without it the key {@code policy} of the
     * context's configuration decides.
     */
    public static final ChannelOption<PathPolicy> PATH_POLICY =
            ChannelOption.valueOf(FairleadChannelOption.class, "PATH_POLICY");

    private FairleadChannelOption() {}
}

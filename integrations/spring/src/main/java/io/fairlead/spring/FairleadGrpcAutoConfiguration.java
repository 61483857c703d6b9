package io.fairlead.spring;

import io.fairlead.FairleadConfig;
import io.fairlead.netty.FairleadServerSocketChannel;
import io.fairlead.node.Node;
import io.grpc.netty.NettyServerBuilder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.grpc.server.ServerBuilderCustomizer;

/**
 * Has Spring's gRPC server accept connections of Fairlead's channels, instead of TCP's, at the address that {@code spring.grpc.server} sets.
 * Needs {@code fairlead-netty}, {@code grpc-netty} and {@code fairlead.spring.grpc.server=true}. Clients then need Fairlead's channels too.
 */
@AutoConfiguration(
        after = FairleadAutoConfiguration.class,
        beforeName = "org.springframework.boot.grpc.server.autoconfigure.GrpcServerAutoConfiguration")
@ConditionalOnClass({NettyServerBuilder.class, FairleadServerSocketChannel.class, ServerBuilderCustomizer.class})
@ConditionalOnBean(Node.class)
@ConditionalOnBooleanProperty("fairlead.spring.grpc.server")
public final class FairleadGrpcAutoConfiguration {
    /** For Spring. */
    public FairleadGrpcAutoConfiguration() {}

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    FairleadEventLoops fairleadEventLoops(Node node, FairleadConfig config) {
        return new FairleadEventLoops(node, config.value(SpringKeys.GRPC_THREADS));
    }

    @Bean
    ServerBuilderCustomizer<NettyServerBuilder> fairleadGrpcServer(FairleadEventLoops loops) {
        return builder -> builder.channelType(FairleadServerSocketChannel.class)
                .bossEventLoopGroup(loops.group())
                .workerEventLoopGroup(loops.group());
    }
}

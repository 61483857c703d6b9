package io.fairlead.spring;

import io.fairlead.codec.jackson.JacksonCodec;
import io.fairlead.codec.protobuf.ProtobufCodec;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/** Codecs of typed services for the artifacts on the class path. The one for JSON has the application's mapper, if there is one. */
@AutoConfiguration(afterName = "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration")
@Conditional(OnFlag.Enabled.class)
@SuppressWarnings("exports") // Spring alone looks at the condition.
public final class FairleadCodecAutoConfiguration {
    /** For Spring. */
    public FairleadCodecAutoConfiguration() {}

    /** JSON. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(JacksonCodec.class)
    static final class Json {
        @Bean
        @ConditionalOnMissingBean
        JacksonCodec fairleadJacksonCodec(ObjectProvider<JsonMapper> mapper) {
            return new JacksonCodec(mapper.getIfAvailable(JsonMapper::shared));
        }
    }

    /** Protobuf. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ProtobufCodec.class)
    static final class Protobuf {
        @Bean
        @ConditionalOnMissingBean
        ProtobufCodec fairleadProtobufCodec() {
            return new ProtobufCodec();
        }
    }
}

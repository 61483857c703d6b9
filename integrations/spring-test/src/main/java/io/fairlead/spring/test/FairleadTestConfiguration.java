package io.fairlead.spring.test;

import io.fairlead.FairleadConfig;
import io.fairlead.config.ConfigKey;
import io.fairlead.spring.FairleadServices;
import io.fairlead.spring.SpringKeys;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;

/** What {@link FairleadTest} changes and adds. */
@AutoConfiguration
final class FairleadTestConfiguration {
    /** For Spring. */
    FairleadTestConfiguration() {}

    @Bean
    static BeanPostProcessor fairleadTestSettings() {
        return new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                return bean instanceof FairleadConfig config ? local(config) : bean;
            }
        };
    }

    private static FairleadConfig local(FairleadConfig config) {
        return with(
                config.with(SpringKeys.SERVICES_ADDRESS, "127.0.0.1:0")
                        .with(SpringKeys.SERVICES_NAME, "")
                        .with(SpringKeys.SETS, inMemory(config.value(SpringKeys.SETS))),
                "security.mode",
                "off");
    }

    private static FairleadConfig with(FairleadConfig config, String name, String text) {
        ConfigKey<?> key = config.keys().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
        return with(config, key, text);
    }

    private static <T> FairleadConfig with(FairleadConfig config, ConfigKey<T> key, String text) {
        return config.with(key, key.parse(text));
    }

    /** The same sets with other names: what is before the first sign of equality. */
    private static String inMemory(String sets) {
        return Arrays.stream(sets.split(",(?=[^,=]*=|\\s*$)"))
                .filter(entry -> !entry.isBlank())
                .map(entry -> entry.split("=", 2)[0].strip())
                .map(name -> name + "=memory:" + name)
                .collect(Collectors.joining(","));
    }

    @Bean(destroyMethod = "close")
    FairleadTestClient fairleadTestClient(FairleadServices services, ListableBeanFactory beans) {
        return new FairleadTestClient(services, beans);
    }
}
